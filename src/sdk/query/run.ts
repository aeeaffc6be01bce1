/** The runs of a query: a submission for each prompt, one after another. */
import { QueryEngine } from '../../engine/query-engine.ts';
import type { Batch, Batches } from '../../engine/submission/submit-message.ts';
import type { SDKResultMessage } from '../../protocol/stream/result-message.ts';
import type { SDKMessage } from '../../protocol/stream/sdk-messages.ts';
import type { Announcements } from './announcements.ts';
import type { PromptFeed } from './prompt-feed.ts';
import type { StateOfSession } from './session-state.ts';
import { errorResult, refuseAborted, StartFailed } from './stop-errors.ts';
import { Turn } from './turn.ts';

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
function noticeIn(session: QueryEngine): Batches | undefined {
  const notice = session.tasks.takeNotice();
  return notice && QueryEngine.inBatches(session).submit({ ...notice, verbatim: true });
}

/** Submits what the feed brings, prompt by prompt, until the query is over. */
export async function* run(
  engine: () => Promise<QueryEngine>,
  feed: PromptFeed,
  reading: Promise<void> | void,
  stream: Stream,
): AsyncGenerator<Batch | Turn, void, void> {
  const { caller, announcements, state } = stream;
  let inputFailed: { readonly error: unknown } | undefined;
  reading?.catch((error: unknown) => {
    inputFailed = { error };
    feed.wake();
  });
  const wake = () => feed.wake();
  caller?.addEventListener('abort', wake, { once: true });
  let last: SDKResultMessage | undefined;
  let callOff = () => {};
  let turn: Turn | undefined;
  try {
    if (stream.carriesOn) {
      refuseAborted(caller);
      turn = new Turn(announcements.between(QueryEngine.inBatches(await engine()).resume()), (batch) => {
        refuseAborted(caller);
        state.running();
        return batch;
      });
      yield turn;
      if (turn.isParked) return;
      last = turn.result;
    }
    while (true) {
      refuseAborted(caller);
      if (stream.isOver()) return;
      const session = await engine();
      const said = announcements.takeAll();
      if (said.length > 0) yield said;
      const batches = QueryEngine.inBatches(session).next() ?? noticeIn(session);
      callOff();
      if (batches === undefined) {
        state.idle();
        const left = announcements.takeAll();
        if (left.length > 0) yield left;
        if (inputFailed !== undefined) throw inputFailed.error;
        // Waits for background work, whose end starts another turn (F45), but not after an error.
        if (feed.ended && (!session.tasks.running || last?.is_error === true)) {
          await session.tasks.stopAll('session');
          const ends = announcements.takeAll();
          if (ends.length > 0) yield ends;
          break;
        }
        if (feed.ended) callOff = session.tasks.limitWait();
        await feed.changed();
        continue;
      }
      await stream.configured();
      state.running();
      turn = new Turn(announcements.between(batches), (batch, result) => {
        refuseAborted(caller);
        for (const message of batch) if (message.type === 'system') stream.heard(message);
        if (result === undefined) return batch;
        feed.turnEnding(result.terminal_reason);
        return [...announcements.takeAll(), ...batch];
      });
      yield turn;
      if (turn.isParked) return;
      last = turn.result ?? last;
      feed.turnEnded(last?.terminal_reason);
      const successor = session.successor();
      if (successor !== undefined) await stream.succeed(session, successor);
    }
    if (last?.is_error === true && !stream.isOver()) throw errorResult(last);
  } catch (error) {
    if (error instanceof StartFailed) yield [error.result];
    throw error;
  } finally {
    await turn?.leave();
    callOff();
    caller?.removeEventListener('abort', wake);
    await stream.close();
  }
}
