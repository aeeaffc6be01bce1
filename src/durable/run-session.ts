/** One run of a session: the ordinary `query()`, over ports that other workers share. */
import { type Admission, type JournalStore, type Options, query } from '../index.ts';
import { TurnwrightError } from '../protocol/errors.ts';
import type { LeaseStore } from '../protocol/ports.ts';
import { openAsks } from './asks.ts';
import type { AppendQueue } from './postgres/append-queue.ts';
import { createBlobStore } from './postgres/blobs.ts';
import type { Database } from './postgres/database.ts';
import { createInbox } from './postgres/inbox.ts';
import { createJournalStore } from './postgres/journal.ts';
import type { Listener } from './postgres/listen.ts';
import { openInterrupts, type ParkedOn, type SessionRow } from './postgres/runs.ts';
import { openRunOutbox } from './stream/run-outbox.ts';

interface RunSessionOptions {
  readonly session: SessionRow;
  readonly cwd: string | undefined;
  readonly options: Options;
  readonly database: Database;
  readonly listener: Listener;
  readonly admission: Admission;
  readonly appends: AppendQueue;
  readonly leases: LeaseStore;
  /** Aborted when another worker may have the session. */
  readonly lease: AbortSignal;
  /** Checked after each write, before what it permits is done. */
  readonly isHeard: () => boolean;
  readonly onWaiting: (change: 1 | -1) => void;
}

/** How a run ended. `lost`: another worker has the session, or may have it. */
type RunEnd =
  | { readonly kind: 'lost' }
  | {
      readonly kind: 'ended';
      /** Number of the last item of the inbox that it was given. */
      readonly taken: number;
      /** undefined: nothing is left to do. */
      readonly parked: ParkedOn | undefined;
      /** Of the last result; undefined: there was none. */
      readonly outcome: Outcome | undefined;
      readonly results: number;
    };

/** The last result of a session, in short. */
interface Outcome {
  readonly subtype: string;
  readonly isError: boolean;
  readonly reason: string | undefined;
  readonly costUsd: number;
  readonly turns: number;
}

/** ms that a question, a wait or Sleep may last before the run ends and its worker is free. */
const PARK_AFTER_MS = 30_000;

/** Rejects when the session cannot be worked on: its journal, its options or the database refuse. */
export async function runSession(given: RunSessionOptions): Promise<RunEnd> {
  const { session, cwd, options, database, listener, lease, isHeard, onWaiting } = given;
  const { sessionId } = session;
  const folder = cwd ?? options.cwd ?? process.cwd();
  const inbox = createInbox(database, listener);
  const outbox = await openRunOutbox({ database, listener, sessionId });
  const { alongside } = outbox;
  const journal = outbox.over(
    await createJournalStore(database, { cwd: folder, alongside, appends: given.appends }),
  );
  const store = watched(known(journal, sessionId), { lease, isHeard });
  const { earlierAnswers, ...asks } = openAsks({ database, listener, sessionId, onWaiting });
  let taken = 0;
  const running = query({
    options: {
      parkAfterMs: PARK_AFTER_MS,
      // Written only while the session is followed.
      includePartialMessages: true,
      ...asks,
      ...options,
      cwd: folder,
      resume: sessionId,
      engine: {
        blobs: createBlobStore(database, sessionId, store.epoch),
        admission: given.admission,
        earlierAnswers,
        ...options.engine,
        store: store.port,
        // The run was begun by this worker: what is left of an earlier one of its own ends.
        leases: { acquire: (id) => given.leases.acquire(id, { takeOver: true }) },
        inbox: {
          ...inbox,
          async after(id, n) {
            const items = await inbox.after(id, n);
            taken = Math.max(taken, ...items.map((item) => item.n));
            return items;
          },
        },
      },
    },
  });
  let parked: ParkedOn | undefined;
  let outcome: Outcome | undefined;
  let results = 0;
  let stopWatching = () => {};
  try {
    for await (const message of running) {
      outbox.take(message);
      if (message.type === 'system' && message.subtype === 'init') {
        stopWatching();
        stopWatching = watchInterrupts(given, () => running.interrupt());
      }
      if (message.type === 'system' && message.subtype === 'session_parked') {
        const { on, ask_ids, wake_at } = message;
        parked = { on, askIds: ask_ids, ...(wake_at !== undefined && { wakeAt: wake_at }) };
      }
      if (message.type === 'result') {
        results += 1;
        outcome = {
          subtype: message.subtype,
          isError: message.is_error,
          reason: message.terminal_reason,
          costUsd: message.total_cost_usd,
          turns: message.num_turns,
        };
      }
    }
  } catch (error) {
    // That of the last result, which is recorded. With a cause: the session could not start.
    if (!(error instanceof TurnwrightError && error.code === 'error_result')) throw error;
    if (error.cause !== undefined) throw error.cause;
  } finally {
    stopWatching();
    await running.return();
    await outbox.close();
  }
  if (store.failure() !== undefined) throw store.failure();
  if (lease.aborted || store.isFenced()) return { kind: 'lost' };
  return { kind: 'ended', taken, parked, outcome, results };
}

/** Interrupts from outside: each stops the running submission, which still gets its result. */
function watchInterrupts(
  { database, listener, session: { sessionId } }: RunSessionOptions,
  interrupt: () => Promise<unknown>,
): () => void {
  let isLooking = false;
  const look = async () => {
    const keys = await openInterrupts(database, sessionId);
    if (keys.length === 0) return;
    await interrupt();
    await database.run(
      `update turnwright.interrupts i set taken_epoch = s.epoch from turnwright.sessions s
       where i.session_id = $1 and s.session_id = $1 and key = any($2)`,
      [sessionId, keys],
    );
  };
  const heard = async () => {
    if (isLooking) return;
    isLooking = true;
    // After a failure: looked at again with the next notification, or after a second.
    await look().catch(() => undefined);
    isLooking = false;
  };
  void heard();
  return listener.watch('interrupt', sessionId, () => void heard());
}

/** The session that runs is there. */
const known = (journal: JournalStore, sessionId: string): JournalStore => ({
  ...journal,
  exists: async (id) => id === sessionId || journal.exists(id),
});

interface WatchedStore {
  readonly port: JournalStore;
  /** With which the run owns the session. */
  epoch(): number | undefined;
  isFenced(): boolean;
  /** What a write was rejected with: nothing that the run says after it can be relied on. */
  failure(): unknown;
}

function watched(
  store: JournalStore,
  { lease, isHeard }: Pick<RunSessionOptions, 'lease' | 'isHeard'>,
): WatchedStore {
  let epoch: number | undefined;
  let fenced = false;
  let failure: unknown;
  return {
    port: {
      ...store,
      async takeOver(...given) {
        const taken = await store.takeOver(...given);
        epoch = taken.epoch;
        return taken;
      },
      async append(...given) {
        // How the run was broken off is no part of the session: the next owner goes on before that.
        fenced ||= lease.aborted;
        if (fenced) return { fenced };
        try {
          const appended = await store.append(...given);
          fenced ||= 'fenced' in appended || !isHeard();
          return fenced ? { fenced } : appended;
        } catch (error) {
          failure ??= error;
          throw error;
        }
      },
    },
    epoch: () => epoch,
    isFenced: () => fenced,
    failure: () => failure,
  };
}
