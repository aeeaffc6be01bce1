/** L4.3: what to do with a response whose stream broke. Nothing runs twice. */
import type { ModelFailure } from '../../protocol/failure.ts';
import type { LoopMessage } from '../../protocol/messages.ts';
import type { ModelRequest } from '../../protocol/model.ts';
import type { Iteration } from '../iteration.ts';
import { emptyResponse } from '../response.ts';
import { errorMessage } from '../say.ts';

/** How the request is made again after its response broke. */
export interface Repeat {
  readonly stream: boolean;
  /** Without a back-off. */
  readonly immediate: boolean;
}

/** A server that reports its own trouble, or goes silent, is asked once more at once, without streaming. */
export function repeatAfter(failure: ModelFailure, request: ModelRequest, { deps }: Iteration): Repeat {
  const serverSide =
    failure.kind === 'stream_error' || failure.kind === 'overloaded' || failure.kind === 'stalled';
  const firstTime = request.stream && deps.modelLimits(request.model).nonStreamingRepeat;
  return serverSide && firstTime ? { stream: false, immediate: true } : { stream: true, immediate: false };
}

/** The response holds a complete call: its finished blocks are kept, one note is shown (and never sent), its tools run once. */
export async function* keepFinishedBlocks(
  failure: ModelFailure,
  iteration: Iteration,
): AsyncGenerator<LoopMessage, void> {
  yield* iteration.say(
    errorMessage(
      iteration.deps,
      'The connection to the model broke in the middle of its answer; going on with what was complete.',
      'server_error',
      failure,
    ),
  );
  iteration.response.stopReason = 'tool_use';
}

/** Retracts what the broken answer showed. It holds no complete call, so nothing has run for it. */
export async function* supersede(
  iteration: Iteration,
  reason: 'superseded' | 'fallback',
): AsyncGenerator<LoopMessage, void> {
  yield* iteration.takeBack(iteration.response.messages, reason);
  await iteration.discardExecutor();
  iteration.response = emptyResponse(iteration.state.model.current);
}
