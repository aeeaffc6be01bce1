/** L4.3: what to do with a response whose stream broke. Nothing runs twice. */
import type { ModelFailure } from '../../protocol/model/failure.ts';
import type { ModelRequest } from '../../protocol/model/model.ts';
import type { Iteration } from '../iteration.ts';
import { errorMessage } from '../loop-messages.ts';
import type { ResponseSoFar } from '../response.ts';

/** How the request is made again after its response broke. */
interface Repeat {
  readonly stream: boolean;
  /** Without a back-off. */
  readonly immediate: boolean;
}

/**
 * After a server-side error, or a stall, the request is repeated once without back-off and without streaming.
 */
export function repeatAfter(failure: ModelFailure, request: ModelRequest, { deps }: Iteration): Repeat {
  const serverSide =
    failure.kind === 'stream_error' || failure.kind === 'overloaded' || failure.kind === 'stalled';
  const firstTime = request.stream && deps.modelLimits(request.model).nonStreamingRepeat;
  return serverSide && firstTime ? { stream: false, immediate: true } : { stream: true, immediate: false };
}

/**
 * The response holds a complete call: its finished blocks are kept, one note is emitted (never sent to the
 * model), its tools run once.
 */
export function keepFinishedBlocks(failure: ModelFailure, iteration: Iteration): Promise<unknown> {
  return iteration.emit(
    errorMessage(
      iteration.deps,
      'The connection to the model broke in the middle of its answer; going on with what was complete.',
      'server_error',
      failure,
    ),
  );
}

/** Retracts what the broken response emitted. It holds no complete call, so no tool has run for it. */
export async function supersede(
  response: ResponseSoFar,
  reason: 'superseded' | 'fallback',
  iteration: Iteration,
): Promise<void> {
  await iteration.retract(response.messages, reason);
  await iteration.tools.discard();
}
