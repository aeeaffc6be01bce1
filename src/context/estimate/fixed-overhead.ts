/** What every request carries besides its messages: the system prompt, the contexts and the tools (F21). */
import type { ContextLimits, StepInput } from '../../protocol/context.ts';
import type { RequestBase } from '../compact/summarise.ts';
import { estimateHead } from './request-estimate.ts';
import { estimateTokens } from './token-estimate.ts';

/** In tokens, by estimate; counted once per set. */
export type FixedOverhead = (model: string) => Promise<number>;

export function createFixedOverhead(
  mainRequest: (model: string) => RequestBase | Promise<RequestBase>,
): FixedOverhead {
  return async (model) => {
    const { system, userContext, tools } = await mainRequest(model);
    return estimateHead({ system, tools, ...(userContext !== undefined && { userContext }) });
  };
}

/**
 * Tokens in use that no message accounts for; 0 while nothing but messages was counted. Dense messages are no part of it:
 * a whole request was once smaller.
 */
export function measuredFloor(input: StepInput): number {
  const { estimateTokens: used, overheadTokens = 0, leastCounted = Number.POSITIVE_INFINITY } = input;
  return Math.max(0, Math.min(used - estimateTokens(input.view), Math.max(leastCounted, overheadTokens)));
}

/** Tokens of the whole request, also while nothing but messages was counted. */
export function requestTokens(input: StepInput, overhead: number): number {
  return input.estimateTokens + (measuredFloor(input) === 0 ? overhead : 0);
}

/**
 * What compaction can never make smaller. The lower of what was measured and what was counted: both err on the high
 * side, and a floor that is taken for too large would keep a session from compacting.
 */
export function floorOf(
  input: StepInput,
  overhead: number,
): { readonly tokens: number; readonly measured: boolean } {
  const measured = measuredFloor(input);
  return measured === 0
    ? { tokens: overhead, measured: false }
    : { tokens: Math.min(measured, overhead), measured: true };
}

/** Where autocompact stands by L2's formula, whatever the session has set: a lower setting is no lack of room. */
export function naturalThreshold({ effective, window }: ContextLimits): number {
  return effective - Math.min(13_000, window / 8);
}

/** Beyond this, what was counted above the estimate may as well be the fixed part. */
const USUAL_SCALE = 3;

/** Real tokens of the view per estimated one, as far as it was measured; the API may also have cleared part of it. */
export function estimateScale(input: StepInput, overhead: number): number {
  const estimated = estimateTokens(input.view);
  if (estimated === 0 || input.estimateTokens === estimated) return 1;
  const scale = (input.estimateTokens - overhead) / estimated;
  if (scale <= USUAL_SCALE) return Math.max(0.5, scale);
  if (input.leastCounted === undefined) return USUAL_SCALE;
  return Math.max(0.5, (input.estimateTokens - Math.max(overhead, measuredFloor(input))) / estimated);
}
