/** L4.4: the third overloaded answer in a row switches the model for the rest of the submission. */
import type { LoopMessage } from '../../protocol/messages.ts';
import type { ModelRequest } from '../../protocol/model.ts';
import type { Iteration } from '../iteration.ts';
import { supersede, warnOfFallback } from './broken-stream.ts';

export interface Fallback {
  readonly from: string;
  readonly to: string;
  readonly rest: readonly string[];
  /** What changes in the request. Thinking signed by the other model is left out by the model room. */
  readonly request: Pick<ModelRequest, 'model' | 'canFallBack' | 'maxTokens'>;
}

export function nextFallback(iteration: Iteration): Fallback | undefined {
  const { state, deps } = iteration;
  const [to, ...rest] = state.model.fallbacks;
  if (to === undefined) return undefined;
  const maxTokens = Math.min(
    iteration.trace.request?.maxTokens ?? Number.POSITIVE_INFINITY,
    deps.modelLimits(to).maxOutputTokens,
  );
  return {
    from: state.model.current,
    to,
    rest,
    request: { model: to, canFallBack: rest.length > 0, maxTokens },
  };
}

export async function* announceFallback(
  fallback: Fallback,
  iteration: Iteration,
): AsyncGenerator<LoopMessage, void> {
  const { from, to, rest } = fallback;
  yield* supersede(iteration, 'fallback');
  iteration.state = { ...iteration.state, model: { ...iteration.state.model, current: to, fallbacks: rest } };
  iteration.trace.fallback = { from, to };
  yield* warnOfFallback(from, to, iteration);
}
