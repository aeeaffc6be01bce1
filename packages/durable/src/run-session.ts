/** One run of a session: the ordinary `query()`, over ports that other workers share. */
import {
  type Admission,
  type JournalStore,
  type Options,
  query,
  type SDKResultMessage,
} from '@turnwright/engine';
import { TurnwrightError } from '@turnwright/engine/protocol/errors.ts';
import type { LeaseStore } from '@turnwright/engine/protocol/ports.ts';
import type { SDKSessionParked } from '@turnwright/engine/protocol/stream/session-messages.ts';
import type { AppendQueue } from './postgres/append-queue.ts';
import { createBlobStore } from './postgres/blobs.ts';
import type { Database } from './postgres/database.ts';
import { createInbox, openInterrupts, takeInterrupts } from './postgres/inbox-rows.ts';
import { createJournalStore, type Ownership } from './postgres/journal-rows.ts';
import type { Listener } from './postgres/listener.ts';
import type { ParkedOn, SessionRow } from './postgres/runs.ts';
import type { RunPurse } from './postgres/tenants/run-purse.ts';
import { openAsks } from './recorded-asks.ts';
import { lastOutcome, type RunOutcome, toOutcome } from './run-outcome.ts';
import { openRunOutbox } from './stream/run-outbox.ts';

interface RunSessionOptions {
  readonly session: SessionRow;
  readonly cwd: string | undefined;
  readonly options: Options;
  readonly database: Database;
  readonly listener: Listener;
  readonly admission: Admission;
  /** Of a tenant whose spending has a limit. */
  readonly purse: RunPurse | undefined;
  readonly appends: AppendQueue;
  readonly leases: LeaseStore;
  readonly workerId: string;
  /** Of the takeovers of this run alone. */
  readonly owner: string;
  /** Aborted when the other workers may not see this one, and may have its sessions. */
  readonly lease: AbortSignal;
  /** Checked after each write, before what it permits is done. */
  readonly isHeard: () => boolean;
  readonly onWaiting: (change: 1 | -1) => void;
  readonly onResult: (result: SDKResultMessage) => void;
  readonly onModelRequest: (request: { readonly startMs: number; readonly endMs: number }) => void;
  /** Called with the epoch that the run writes with. */
  readonly onTakenOver: (epoch: number) => void;
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
      /** Of the last result, of an earlier run where nothing was left to do; undefined: there was none. */
      readonly outcome: RunOutcome | undefined;
      readonly results: number;
      /** uuids of the prompts that they name. */
      readonly answered: ReadonlySet<string>;
    };

/** ms that a question, a wait or Sleep may last before the run ends and its worker is free. */
const PARK_AFTER_MS = 30_000;

/** What follows would be in a session that its followers do not know. */
const NO_CLEAR =
  'A session in a database keeps its conversation, as others follow it by its id. To begin anew, send the next prompt to a new id: turnwright send <new session> "what to do"';

/** Rejects when the session cannot be worked on: its journal, its options or the database refuse. */
export async function runSession(given: RunSessionOptions): Promise<RunEnd> {
  const { session, cwd, options, database, listener, isHeard, onWaiting } = given;
  const { sessionId } = session;
  const folder = cwd ?? options.cwd ?? process.cwd();
  const inbox = createInbox(database, listener);
  const outbox = await openRunOutbox({ database, listener, sessionId, owner: given.owner });
  const { alongside } = outbox;
  const journal = outbox.over(
    await createJournalStore(database, {
      cwd: folder,
      ownedBy: given.workerId,
      owner: given.owner,
      onTakenOver: given.onTakenOver,
      alongside,
      appends: given.appends,
    }),
  );
  const owned = ownedSession(given);
  const store = watched(known(journal, sessionId), { isLost: owned.isLost, isHeard });
  const own = () => {
    const epoch = store.epoch();
    return epoch === undefined ? undefined : { epoch, owner: given.owner };
  };
  const { earlierAnswers, ...asks } = openAsks({ database, listener, sessionId, own, onWaiting });
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
        blobs: createBlobStore(database, sessionId, own),
        admission: given.admission,
        earlierAnswers,
        onModelRequest: given.onModelRequest,
        ...options.engine,
        noClear: NO_CLEAR,
        ...(given.purse !== undefined && { purse: given.purse }),
        store: store.port,
        leases: owned.leases,
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
  let outcome: RunOutcome | undefined;
  let results = 0;
  const answered = new Set<string>();
  let stopWatching = () => {};
  try {
    for await (const message of running) {
      outbox.take(message);
      if (message.type === 'system' && message.subtype === 'init') {
        stopWatching();
        stopWatching = watchInterrupts(given, own, () => running.interrupt());
      }
      if (message.type === 'system' && message.subtype === 'session_parked') {
        parked = parkedOn(message, given.purse !== undefined);
      }
      if (message.type === 'result') {
        results += 1;
        given.onResult(message);
        for (const uuid of message.user_message_uuids ?? []) answered.add(uuid);
        outcome = toOutcome(message);
      }
    }
  } catch (error) {
    // That of the last result, which is recorded. With a cause: the session could not start.
    if (!(error instanceof TurnwrightError && error.code === 'error_result')) throw error;
    if (error.cause !== undefined) throw error.cause;
  } finally {
    stopWatching();
    await running.return();
    await given.purse?.settled();
    await outbox.close();
  }
  if (store.failure() !== undefined) throw store.failure();
  if (owned.isLost() || store.isFenced()) return { kind: 'lost' };
  if (parked === undefined) outcome ??= await lastOutcome(database, sessionId);
  return { kind: 'ended', taken, parked, outcome, results, answered };
}

/** Where something is said for people, it is that the tenant has no money: nothing else is said so. */
function parkedOn({ on, ask_ids, wake_at, why }: SDKSessionParked, isBudgeted: boolean): ParkedOn {
  return {
    on,
    askIds: ask_ids,
    ...(wake_at !== undefined && { wakeAt: wake_at }),
    ...(why !== undefined && { why, ...(isBudgeted && { limit: 'usdPerDay' as const }) }),
  };
}

/** Interrupts from outside: each stops the running submission, which still gets its result. */
function watchInterrupts(
  { database, listener, session: { sessionId } }: RunSessionOptions,
  own: () => Ownership | undefined,
  interrupt: () => Promise<unknown>,
): () => void {
  let isLooking = false;
  const look = async () => {
    const keys = await openInterrupts(database, sessionId);
    if (keys.length === 0) return;
    await interrupt();
    await takeInterrupts(database, sessionId, keys, own());
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

/** The session's lease, which is lost with the worker's, or alone. */
function ownedSession({ lease, leases }: Pick<RunSessionOptions, 'lease' | 'leases'>) {
  let own: AbortSignal | undefined;
  return {
    leases: {
      async acquire(id: string) {
        const acquired = await leases.acquire(id);
        own = acquired.signal;
        return acquired;
      },
    },
    isLost: () => lease.aborted || own?.aborted === true,
  };
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

interface WatchOptions extends Pick<RunSessionOptions, 'isHeard'> {
  readonly isLost: () => boolean;
}

function watched(store: JournalStore, { isLost, isHeard }: WatchOptions): WatchedStore {
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
        fenced ||= isLost();
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
