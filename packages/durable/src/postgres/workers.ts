/** Which workers of a database are there: each has a row, and a lock for as long as its process lives. */
import type { RunStatement, Statements } from './database.ts';
import { IS_FORGOTTEN } from './results.ts';
import { IS_DUE, IS_OLD, OF_NONE, OF_THIS } from './runs.ts';
import { IS_HELD_IN_VAIN } from './tenants/run-places.ts';

/** First key of the advisory locks of workers. The second is in the row of each. */
export const WORKER_LOCKS = 0x7475726e;

/** All workers but one, and whether each still has its lock. */
const OTHERS = `(
  select worker_id, pid, heartbeat, exists (select 1 from pg_locks
      where locktype = 'advisory' and classid = ${WORKER_LOCKS}::oid and objid = lock_key::oid and objsubid = 2
        and granted and database = (select oid from pg_database where datname = current_database())
    ) as held from turnwright.workers where worker_id <> $1) w`;

interface LostWorker {
  readonly worker: string;
  /** `hung`: it holds its lock and is not heard of. */
  readonly why: 'dead' | 'hung';
}

/** What a worker sees that looks around. */
interface Sight {
  /** Workers other than this one that have lost their lock, or have been silent for too long. */
  readonly lost: readonly LostWorker[];
  /** Whether the sweep has something to do. */
  readonly isToBeSwept: boolean;
}

interface SightOptions {
  readonly workerId: string;
  /** Sessions that it works on. */
  readonly active: readonly string[];
  /** Silence after which a worker is lost. */
  readonly hungMs: number;
}

/** Mostly there is nothing to do, and this is all that a worker asks. */
export async function lookAround(
  run: RunStatement,
  { workerId, active, hungMs }: SightOptions,
): Promise<Sight> {
  const [sight] = await run<Sight>(
    `select (select coalesce(json_agg(json_build_object('worker', worker_id,
          'why', case when held then 'hung' else 'dead' end)), '[]')
        from ${OTHERS} where not held or heartbeat < now() - $3::int * interval '1 ms') as lost,
      exists (select from turnwright.sessions where ${IS_DUE})
        or exists (select from turnwright.sessions where ${IS_FORGOTTEN})
        or ${IS_HELD_IN_VAIN}
        or exists (select from turnwright.sessions s where ${IS_OLD} and (${OF_THIS} or ${OF_NONE}))
        as "isToBeSwept"`,
    [workerId, active, hungMs],
  );
  return sight ?? { lost: [], isToBeSwept: false };
}

/**
 * Of several workers that notice, one removes it, and gets true. From then on its sessions have no worker:
 * what it still does ends none of them.
 */
export async function removeWorker(database: Statements, workerId: string): Promise<boolean> {
  return database.transaction(async (run) => {
    const [removed] = await run('delete from turnwright.workers where worker_id = $1 returning 1', [
      workerId,
    ]);
    await run(`update turnwright.sessions set worker = null where state = 'running' and worker = $1`, [
      workerId,
    ]);
    return removed !== undefined;
  });
}

/** The workers among these that have not been removed. */
export async function livingWorkers(run: RunStatement, ids: readonly string[]): Promise<ReadonlySet<string>> {
  const rows = await run<{ readonly id: string }>(
    'select worker_id as id from turnwright.workers where worker_id = any($1)',
    [ids],
  );
  return new Set(rows.map(({ id }) => id));
}

/** Whether a worker of another process lives, by the number that its system has given it. */
export async function hasOtherProcess(run: RunStatement, workerId: string, pid: number): Promise<boolean> {
  const [other] = await run(`select 1 from ${OTHERS} where held and pid <> $2 limit 1`, [workerId, pid]);
  return other !== undefined;
}
