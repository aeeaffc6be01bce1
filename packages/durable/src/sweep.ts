/** Wakes sessions whose waiting time is over, and finds those that no worker works on. */
import { systemClock } from '@turnwright/base/clock.ts';
import type { Dispatch, Run } from './dispatch.ts';
import type { Database, RunStatement } from './postgres/database.ts';
import { groupCalls } from './postgres/group-calls.ts';
import { notify } from './postgres/listener.ts';
import { queueForgotten } from './postgres/results.ts';
import { type DoubtfulRun, doubtfulRuns, queueAgain, queueDue, queuedRuns } from './postgres/runs.ts';
import { releaseAll } from './postgres/tenants/run-places.ts';
import { livingWorkers } from './postgres/workers.ts';
import type { Say } from './watch/log.ts';

export interface SweepOptions {
  readonly database: Database;
  readonly dispatch: Dispatch;
  readonly workerId: string;
  /** Sessions that this worker works on now. */
  readonly active: () => readonly string[];
  readonly onHandedOver: (runs: number, why: 'lost') => void;
  /** Called with how many sessions were idle although a prompt had no result. */
  readonly onForgotten: (sessions: number) => void;
  readonly stderr: Say;
}

/**
 * Asks for the run of a session that was just queued; of several workers that hear of it, one does. Sessions
 * that are queued at the same time share a transaction.
 */
export const createEnqueuer = ({
  database,
  dispatch,
}: Pick<SweepOptions, 'database' | 'dispatch'>): ((sessionId: string) => Promise<void>) =>
  groupCalls(
    (sessionIds: readonly string[]) =>
      database.transaction(async (run) => {
        await Promise.all((await queuedRuns(run, sessionIds)).map((one) => dispatch.enqueue(run, one)));
        return sessionIds.map(() => undefined);
      }),
    { statements: 1 },
  );

/** Sessions that are looked at by one sweep. */
const LIMIT = 200;
/** An advisory lock: one worker at a time sweeps for all. */
const LOCK = "hashtextextended('turnwright/sweep', 0)";
/** How long a worker that lives may have a run that it has not begun. */
const PATIENCE_MS = 15_000;

/** Looks once at each call. No transaction is open while the runner is asked. */
export function createSweep(options: SweepOptions): () => Promise<void> {
  const { database, dispatch, workerId, active, onHandedOver, onForgotten, stderr } = options;
  /** Since when each was found with a worker that lives and has not begun it, in ms, by both. */
  const late = new Map<string, number>();

  /** This worker may have no place for it: all hear of it. */
  async function ask(run: RunStatement, queued: Run): Promise<void> {
    await dispatch.enqueue(run, queued);
    await notify(run, 'run', queued.sessionId);
  }

  /** Sessions whose time has come get their runs; of the others, those that may have been lost. */
  async function look(): Promise<readonly DoubtfulRun[]> {
    const { forgotten, doubtful } = await database.transaction(async (run) => {
      const [{ mine } = { mine: false }] = await run<{ readonly mine: boolean }>(
        `select pg_try_advisory_xact_lock(${LOCK}) as mine`,
      );
      const due = mine ? await queueDue(run, LIMIT) : [];
      const forgotten = mine ? await queueForgotten(run, LIMIT) : [];
      for (const queued of [...due, ...forgotten]) await ask(run, queued);
      const doubtful = await doubtfulRuns(run, { workerId, active: active(), others: mine, limit: LIMIT });
      return { forgotten, doubtful };
    });
    if (forgotten.length > 0) onForgotten(forgotten.length);
    for (const { sessionId } of forgotten)
      stderr(`Session ${sessionId} was idle, and a prompt of it has no result: it is queued again.`, {
        session: sessionId,
      });
    return doubtful;
  }

  /**
   * A run that is abandoned is handed over at once, as is one that waits with a worker that is gone. A worker
   * that lives has time to begin what it was given: it may be slow, or may never have heard of it.
   */
  function isLost(one: DoubtfulRun, heldBy: string, living: ReadonlySet<string>): boolean {
    if (one.isAbandoned || !living.has(heldBy)) return true;
    const nowMs = systemClock.monotonicMs();
    const key = `${heldBy} ${one.sessionId}:${one.run}`;
    const sinceMs = late.get(key) ?? nowMs;
    late.set(key, sinceMs);
    return nowMs - sinceMs >= PATIENCE_MS;
  }

  function forgetOthers(): void {
    const nowMs = systemClock.monotonicMs();
    for (const [key, sinceMs] of late) if (nowMs - sinceMs > 2 * PATIENCE_MS) late.delete(key);
  }

  return async () => {
    await releaseAll(database);
    const doubtful = await look();
    forgetOthers();
    if (doubtful.length === 0) return;
    const states = await dispatch.states(doubtful);
    const holders = states.flatMap((state) => (typeof state === 'object' ? [state.heldBy] : []));
    const living = await livingWorkers(database.run, holders);
    for (const [index, one] of doubtful.entries()) {
      const state = states[index] ?? 'gone';
      if (state === 'waiting') continue;
      if (state === 'gone') {
        await database.transaction(async (run) => {
          const next = await queueAgain(run, one);
          if (next !== undefined) await ask(run, next);
        });
      } else if (isLost(one, state.heldBy, living)) {
        await dispatch.handOverRuns([one]);
        await notify(database.run, 'run', one.sessionId);
      } else continue;
      onHandedOver(1, 'lost');
    }
  };
}
