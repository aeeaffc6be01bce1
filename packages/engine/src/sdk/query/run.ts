/** The runs of a query: a submission for each prompt, one after another. */

import type { Output } from '@turnwright/base/async/batch-output.ts';
import { QueryEngine, type Turn } from '../../engine/query-engine.ts';
import type { SDKBatch } from '../../engine/submission/submit-message.ts';
import type { SDKResultMessage } from '../../protocol/stream/result-message.ts';
import type { SDKMessage } from '../../protocol/stream/sdk-messages.ts';
import type { Announcements } from './announcements.ts';
import type { PromptFeed } from './prompt-feed.ts';
import { isParkedIn, resultIn } from './run-ends.ts';
import type { StateOfSession } from './session-state.ts';
import { errorResult, refuseAborted, StartFailed } from './stop-errors.ts';

/** The query around its runs. */
export interface Stream {
  readonly caller: AbortSignal | undefined;
  isOver(): boolean;
  close(): Promise<void>;
  succeed(session: QueryEngine, next: QueryEngine): Promise<void>;
  heard(message: SDKMessage): void;
  readonly carriesOn: boolean;
  readonly announcements: Announcements;
  readonly state: StateOfSession;
  /** Rejects when no prompt can be answered. */
  configured(): Promise<void>;
}

/** A notice about ended background tasks, as a submission; undefined: there is none. */
function noticeIn(session: QueryEngine, output: Output<SDKMessage>): Turn | undefined {
  const notice = session.tasks.takeNotice();
  return notice && QueryEngine.emitting(session, output).submit({ ...notice, verbatim: true });
}

/** Submits what the feed brings, prompt by prompt, until the query is over. */
export async function run(
  engine: () => Promise<QueryEngine>,
  feed: PromptFeed,
  reading: Promise<void> | void,
  stream: Stream,
  output: Output<SDKMessage>,
): Promise<void> {
  const { caller, announcements, state } = stream;
  let inputFailed: { readonly error: unknown } | undefined;
  reading?.catch((error: unknown) => {
    inputFailed = { error };
    feed.wake();
  });
  const wake = () => feed.wake();
  caller?.addEventListener('abort', wake, { once: true });
  const emitSaid = async () => {
    const said = announcements.takeAll();
    if (said.length > 0) await output.emit(said);
  };
  let last: SDKResultMessage | undefined;
  let isParked = false;
  const runTurn = async (turn: Turn, passing: (batch: SDKBatch, result?: SDKResultMessage) => SDKBatch) => {
    await emitSaid();
    await announcements.during(turn, (batch) => {
      const result = resultIn(batch);
      last = result ?? last;
      isParked = isParkedIn(batch);
      return passing(batch, result);
    });
  };
  let callOff = () => {};
  try {
    if (stream.carriesOn) {
      refuseAborted(caller);
      await runTurn(QueryEngine.emitting(await engine(), output).resume(), (batch) => {
        state.running();
        return batch;
      });
      if (isParked) return;
    }
    while (true) {
      refuseAborted(caller);
      if (stream.isOver()) return;
      const session = await engine();
      await emitSaid();
      const turn = QueryEngine.emitting(session, output).next() ?? noticeIn(session, output);
      callOff();
      if (turn === undefined) {
        state.idle();
        await emitSaid();
        if (inputFailed !== undefined) throw inputFailed.error;
        // Waits for background work, whose end starts another turn (F45), but not after an error.
        if (feed.ended && (!session.tasks.running || last?.is_error === true)) {
          await session.tasks.stopAll('session');
          await emitSaid();
          break;
        }
        if (feed.ended) callOff = session.tasks.limitWait();
        await feed.changed();
        continue;
      }
      await stream.configured();
      state.running();
      await runTurn(turn, (batch, result) => {
        for (const message of batch) if (message.type === 'system') stream.heard(message);
        if (result === undefined) return batch;
        feed.turnEnding(result.terminal_reason);
        return [...announcements.takeAll(), ...batch];
      });
      if (isParked) return;
      feed.turnEnded(last?.terminal_reason);
      const successor = session.successor();
      if (successor !== undefined) await stream.succeed(session, successor);
    }
    if (last?.is_error === true && !stream.isOver()) throw errorResult(last);
  } catch (error) {
    if (error instanceof StartFailed) await output.emit([error.result]);
    throw error;
  } finally {
    callOff();
    caller?.removeEventListener('abort', wake);
    await stream.close();
  }
}
