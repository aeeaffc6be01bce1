/** L4.3: what to do with a response whose stream broke. Nothing runs twice. */
import type { ModelFailure } from '../../protocol/failure.ts';
import type { LoopMessage } from '../../protocol/messages.ts';
import type { ModelOutcome, ModelRequest } from '../../protocol/model.ts';
import type { Iteration } from '../iteration.ts';
import { emptyResponse } from '../response.ts';
import { errorMessage, systemMessage } from '../say.ts';

/** How many overloaded answers in a row make a model give way (L4.4). */
const OVERLOADED_TO_SWITCH = 3;

export type BreakPlan =
  | { readonly kind: 'keep' }
  | { readonly kind: 'again'; readonly stream: boolean; readonly immediate: boolean };

export function afterBreak(failure: ModelFailure, request: ModelRequest, iteration: Iteration): BreakPlan {
  if (iteration.response.calls.length > 0) return { kind: 'keep' };
  // A server that reports its own trouble, or goes silent, is asked once more at once, without streaming.
  const serverSide =
    failure.kind === 'stream_error' || failure.kind === 'overloaded' || failure.kind === 'stalled';
  const firstTime = request.stream && iteration.deps.modelLimits(request.model).nonStreamingRepeat;
  return serverSide && firstTime
    ? { kind: 'again', stream: false, immediate: true }
    : { kind: 'again', stream: true, immediate: false };
}

/** A complete call stands: its finished blocks are kept, one note is shown (and never sent), its tools run once. */
export async function* keepFinishedBlocks(
  outcome: Extract<ModelOutcome, { kind: 'broken' }>,
  iteration: Iteration,
): AsyncGenerator<LoopMessage, void> {
  yield* iteration.say(
    errorMessage(
      iteration.deps,
      'The connection to the model broke in the middle of its answer; going on with what was complete.',
      'server_error',
      outcome.failure,
    ),
  );
  iteration.response.stopReason = 'tool_use';
  const { state } = iteration;
  const [next, ...rest] = state.model.fallbacks;
  if (
    outcome.failure.kind === 'overloaded' &&
    outcome.retry.overloadedInARow >= OVERLOADED_TO_SWITCH &&
    next !== undefined
  ) {
    iteration.trace.fallback = { from: state.model.current, to: next };
    iteration.state = { ...state, model: { ...state.model, current: next, fallbacks: rest } };
    yield* warnOfFallback(state.model.current, next, iteration);
  }
}

/** L4.4: a warning names both models. */
export async function* warnOfFallback(
  from: string,
  to: string,
  iteration: Iteration,
): AsyncGenerator<LoopMessage, void> {
  yield* iteration.say(
    systemMessage(iteration.deps, {
      subtype: 'model_fallback',
      trigger: 'overloaded',
      original_model: from,
      fallback_model: to,
      content: `${from} is overloaded; ${to} takes over for the rest of this submission.`,
    }),
  );
}

/** Takes back what the broken answer showed, and everything that ran for it. */
export async function* supersede(
  iteration: Iteration,
  reason: 'superseded' | 'fallback',
): AsyncGenerator<LoopMessage, void> {
  yield* iteration.takeBack(iteration.response.messages, reason);
  await iteration.discardExecutor();
  iteration.response = emptyResponse(iteration.state.model.current);
}
