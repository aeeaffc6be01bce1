/**
 * L4.4: the third overloaded response in a row switches the model for the rest of the submission. Decided
 * here alone.
 */
import type { LoopBatch } from '../../protocol/model/messages.ts';
import type { ModelRequest, RetryState } from '../../protocol/model/model.ts';
import type { LoopParams } from '../deps.ts';
import type { Iteration } from '../iteration.ts';
import { OVERLOADS_UNTIL_FALLBACK } from '../limits.ts';
import { systemMessage } from '../loop-messages.ts';
import type { ModelState } from '../state.ts';

/**
 * The limit that a request carries when there is another model to ask. A background query gives up
 * immediately instead (L8).
 */
export function overloadLimit(
  fallbacks: readonly string[],
  { foreground }: LoopParams,
): Pick<ModelRequest, 'overloadLimit'> {
  return foreground && fallbacks.length > 0 ? { overloadLimit: OVERLOADS_UNTIL_FALLBACK } : {};
}

interface Fallback {
  readonly from: string;
  readonly to: string;
  /** Models left to try after `to`. */
  readonly rest: readonly string[];
}

/** The model that takes over after this outcome of a request; undefined: the model stays. */
export function fallbackAfter(
  { overloadedInARow }: RetryState,
  request: ModelRequest,
  models: ModelState,
): Fallback | undefined {
  const [to, ...rest] = models.fallbacks;
  if (to === undefined || request.overloadLimit === undefined) return undefined;
  return overloadedInARow < request.overloadLimit ? undefined : { from: models.current, to, rest };
}

/** Returns the models from here on; a warning names both. */
export async function* fallBack(
  { from, to, rest }: Fallback,
  models: ModelState,
  iteration: Iteration,
): AsyncGenerator<LoopBatch, ModelState> {
  const { trace, deps } = iteration;
  trace.note({ fallback: { from, to } });
  yield* iteration.emit(
    systemMessage(deps, {
      subtype: 'model_fallback',
      trigger: 'overloaded',
      original_model: from,
      fallback_model: to,
      content: `${from} is overloaded; ${to} takes over for the rest of this submission.`,
    }),
  );
  return { ...models, current: to, fallbacks: rest };
}

/** The same request for the other model. The model room leaves out thinking that the first one signed. */
export function requestAgain(
  request: ModelRequest,
  { to, rest }: Fallback,
  iteration: Iteration,
): ModelRequest {
  const { overloadLimit: _, ...same } = request;
  return {
    ...same,
    ...overloadLimit(rest, iteration.params),
    model: to,
    maxTokens: Math.min(request.maxTokens, iteration.deps.modelLimits(to).maxOutputTokens),
    stream: true,
  };
}
