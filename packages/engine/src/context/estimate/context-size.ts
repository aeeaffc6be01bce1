/** How full the context window is: one function for the categories, the status line and what a host asks. */
import type { ContextLimits } from '../../protocol/model/context.ts';
import type { Usage } from '../../protocol/model/wire.ts';
import type { ContextSize } from '../../protocol/stream/context-usage.ts';

interface ContextSizeInput {
  readonly model: string;
  readonly limits: ContextLimits;
  readonly autocompact: boolean;
  /** Reported by the provider; undefined: all of it is estimated. */
  readonly usage: Usage | undefined;
  /** Estimated tokens that `usage` does not count. */
  readonly estimated: number;
}

export function contextSize({ model, limits, autocompact, usage, estimated }: ContextSizeInput): ContextSize {
  const apiUsage = usage === undefined ? null : reported(usage);
  const known = Object.values(apiUsage ?? {}).reduce((sum, tokens) => sum + tokens, 0);
  const totalTokens = known + Math.ceil(estimated);
  return {
    totalTokens,
    maxTokens: limits.effective,
    rawMaxTokens: limits.window,
    percentage: Math.round((totalTokens / limits.window) * 100),
    model,
    ...(autocompact && { autoCompactThreshold: limits.autocompactAt }),
    isAutoCompactEnabled: autocompact,
    apiUsage,
  };
}

function reported(usage: Usage): NonNullable<ContextSize['apiUsage']> {
  const { input_tokens, output_tokens, cache_creation_input_tokens, cache_read_input_tokens } = usage;
  return { input_tokens, output_tokens, cache_creation_input_tokens, cache_read_input_tokens };
}
