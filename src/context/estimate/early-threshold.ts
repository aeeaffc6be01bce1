import type { ContextLimits } from '../../protocol/model/context.ts';

/** Share of autocompact's threshold above which clearing and collapse start (L2.4, L2.5). */
const EARLY_SHARE = 0.6;

/** Tokens from which old results are cleared and collapses are staged. */
export function earlyThreshold({ autocompactAt }: ContextLimits): number {
  return Math.floor(autocompactAt * EARLY_SHARE);
}
