/** L4.4: the third overloaded answer in a row switches the model for the rest of the submission. Decided here alone. */
import type { LoopMessage } from '../../protocol/messages.ts';
import type { ModelRequest, RetryState } from '../../protocol/model.ts';
import type { LoopParams } from '../deps.ts';
import type { Iteration } from '../iteration.ts';
import { systemMessage } from '../say.ts';

const OVERLOADS_UNTIL_FALLBACK = 3;

/** What a request says when there is another model to ask. A background query gives up at once instead (L8). */
export function overloadLimit(
  fallbacks: readonly string[],
  { foreground }: LoopParams,
): Pick<ModelRequest, 'overloadLimit'> {
  return foreground && fallbacks.length > 0 ? { overloadLimit: OVERLOADS_UNTIL_FALLBACK } : {};
}

export interface Fallback {
  readonly from: string;
  readonly to: string;
  /** Models that are left to try after it. */
  readonly rest: readonly string[];
}

/** The model that takes over after this outcome of a request; undefined: the model stays. */
export function fallbackAfter(
  { overloadedInARow }: RetryState,
  request: ModelRequest,
  { state }: Iteration,
): Fallback | undefined {
  const [to, ...rest] = state.model.fallbacks;
  if (to === undefined || request.overloadLimit === undefined) return undefined;
  return overloadedInARow < request.overloadLimit ? undefined : { from: state.model.current, to, rest };
}

/** The next request goes to the other model; a warning names both. */
export async function* fallBack(
  { from, to, rest }: Fallback,
  iteration: Iteration,
): AsyncGenerator<LoopMessage> {
  const { state, trace, deps } = iteration;
  iteration.state = { ...state, model: { ...state.model, current: to, fallbacks: rest } };
  trace.fallback = { from, to };
  yield* iteration.say(
    systemMessage(deps, {
      subtype: 'model_fallback',
      trigger: 'overloaded',
      original_model: from,
      fallback_model: to,
      content: `${from} is overloaded; ${to} takes over for the rest of this submission.`,
    }),
  );
}

/** The same request for the other model. Thinking signed by the first one is left out by the model room. */
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
