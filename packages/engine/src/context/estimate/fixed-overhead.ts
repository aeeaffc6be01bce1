/** The fixed part of every request: system prompt, contexts and tools (F21). */
import type { ContextLimits, StepInput } from '../../protocol/model/context.ts';
import type { RequestBase } from '../compact/summarise.ts';
import { estimateHead } from './request-estimate.ts';
import { estimateTokens } from './token-estimate.ts';

/** Estimated tokens; computed once per set. */
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
 * Reported tokens outside the messages; 0 if only messages were counted. Bounded by the smallest request that
 * was reported.
 */
export function measuredFloor(input: StepInput): number {
  const { estimateTokens: used, overheadTokens = 0, leastCounted = Number.POSITIVE_INFINITY } = input;
  return Math.max(0, Math.min(used - estimateTokens(input.view), Math.max(leastCounted, overheadTokens)));
}

/** Tokens of the whole request, also while nothing but messages was counted. */
export function wholeRequestTokens(input: StepInput, overhead: number): number {
  return input.estimateTokens + (measuredFloor(input) === 0 ? overhead : 0);
}

/**
 * What compaction cannot make smaller: the lower of the measured and the reported figure. Both are upper
 * bounds, and a floor that is too large would prevent compaction.
 */
export function estimateFloor(
  input: StepInput,
  overhead: number,
): { readonly tokens: number; readonly measured: boolean } {
  const measured = measuredFloor(input);
  return measured === 0
    ? { tokens: overhead, measured: false }
    : { tokens: Math.min(measured, overhead), measured: true };
}

/**
 * Autocompact's threshold by the formula of L2, regardless of settings: a lower setting does not mean a lack
 * of space.
 */
export function naturalThreshold({ effective, window }: ContextLimits): number {
  return effective - Math.min(13_000, window / 8);
}

/** Beyond this factor, reported tokens may belong to the fixed part. */
const USUAL_SCALE = 3;

/**
 * Real tokens of the view per estimated token, as far as measured; the API may also have cleared part of it.
 */
export function estimateScale(input: StepInput, overhead: number): number {
  const estimated = estimateTokens(input.view);
  if (estimated === 0 || input.estimateTokens === estimated) return 1;
  const scale = (input.estimateTokens - overhead) / estimated;
  if (scale <= USUAL_SCALE) return Math.max(0.5, scale);
  if (input.leastCounted === undefined) return USUAL_SCALE;
  return Math.max(0.5, (input.estimateTokens - Math.max(overhead, measuredFloor(input))) / estimated);
}
