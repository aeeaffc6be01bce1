/** Wakes sessions whose waiting time is over, and finds those that no worker works on. */
import type { Dispatch } from './dispatch.ts';
import type { Database } from './postgres/database.ts';
import { grouped } from './postgres/grouped.ts';
import { doubtfulRuns, queueAgain, queueDue, queuedRuns } from './postgres/runs.ts';

interface SweepOptions {
  readonly database: Database;
  readonly dispatch: Dispatch;
  readonly workerId: string;
  /** Sessions that this worker works on now. */
  readonly active: () => readonly string[];
  readonly onHandedOver: (runs: number, why: 'lost') => void;
}

/**
 * Asks for the run of a session that was just queued; of several workers that hear of it, one does. Sessions
 * that are queued at the same time share a transaction.
 */
export const createEnqueuer = ({
  database,
  dispatch,
}: Pick<SweepOptions, 'database' | 'dispatch'>): ((sessionId: string) => Promise<void>) =>
  grouped(
    (sessionIds: readonly string[]) =>
      database.transaction(async (run) => {
        for (const queued of await queuedRuns(run, sessionIds)) await dispatch.enqueue(run, queued);
        return sessionIds.map(() => undefined);
      }),
    { statements: 1 },
  );

/** Sessions that are looked at by one sweep. */
const LIMIT = 200;
/** An advisory lock: one worker at a time sweeps for all. */
const LOCK = "hashtextextended('turnwright/sweep', 0)";

export async function sweep({
  database,
  dispatch,
  workerId,
  active,
  onHandedOver,
}: SweepOptions): Promise<void> {
  await database.transaction(async (run) => {
    const [{ mine } = { mine: false }] = await run<{ readonly mine: boolean }>(
      `select pg_try_advisory_xact_lock(${LOCK}) as mine`,
    );
    if (mine) for (const due of await queueDue(run, LIMIT)) await dispatch.enqueue(run, due);
    const doubtful = await doubtfulRuns(run, {
      workerId,
      active: active(),
      others: mine,
      limit: LIMIT,
    });
    const states = doubtful.length === 0 ? [] : await dispatch.states(doubtful);
    for (const [index, one] of doubtful.entries()) {
      const state = states[index];
      if (state === 'waiting') continue;
      if (state === 'running') await dispatch.handOverRuns([one]);
      const next = state === 'gone' ? await queueAgain(run, one) : undefined;
      if (next !== undefined) await dispatch.enqueue(run, next);
      onHandedOver(1, 'lost');
    }
  });
}
