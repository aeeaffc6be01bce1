/** How many of the runs that wait a worker takes at a time: what is queued at once goes to all workers. */
import type { ExecutorOptions } from './dispatch.ts';

/** What has waited for so long any worker takes: those whose turn it is may have no room, or be slow. */
const TURN_MS = 500;
/** Runs that are counted: beyond that, chance spreads them well enough. */
const MOST_COUNTED = 500;

/** What is known of a queue in one statement. */
interface QueueCount {
  /** Runs that wait. */
  readonly waiting: number;
  /** Of these, those that have waited for longer than a turn. */
  readonly late: number;
  /** Runs that some worker has. */
  readonly taken: number;
  /** Workers that take runs of this queue. */
  readonly living: number;
}

/** How many to take for a worker that has so many runs of the queue already, itself among those living. */
export function countPortion({ waiting, late, taken, living }: QueueCount, mine: number): number {
  const workers = Math.max(1, living);
  const isCounted = waiting < MOST_COUNTED && taken < MOST_COUNTED;
  const share = isCounted ? Math.ceil((waiting + taken) / workers) - mine : Math.ceil(waiting / workers);
  return Math.max(share, Math.ceil(late / workers));
}

/** The part of DBOS's tables that takes runs of a queue, and says how many a worker may have. */
interface Taking {
  listQueues(...given: unknown[]): Promise<readonly object[]>;
  findAndMarkStartablePartitionedWorkflows(
    queue: { readonly name: string },
    executorId: string,
    version: string,
    room: number,
    ownerXid: string,
  ): Promise<readonly string[]>;
}

interface TurnOptions {
  /** Where DBOS has its tables. */
  readonly schema: string;
  /** The queue of this host alone. */
  readonly hostQueue: string;
  /** Some were taken, and more waits. */
  readonly onMore: () => void;
}

/** Takes effect for the executor that DBOS was launched with. */
export async function takeInTurn(
  { database, host, concurrency }: Pick<ExecutorOptions, 'database' | 'host' | 'concurrency'>,
  { schema, hostQueue, onMore }: TurnOptions,
): Promise<void> {
  const { DBOSExecutor } = await import('@dbos-inc/dbos-sdk/internal/dbos-executor');
  const { systemDatabase } = DBOSExecutor.globalInstance as InstanceType<typeof DBOSExecutor>;
  const taking = systemDatabase as unknown as Taking;
  const { listQueues, findAndMarkStartablePartitionedWorkflows: take } = taking;
  // How many runs a worker takes is in the queue's row, which the last worker to start wrote.
  taking.listQueues = async (...given) =>
    (await listQueues.apply(taking, given)).map((queue) => ({ ...queue, workerConcurrency: concurrency }));
  taking.findAndMarkStartablePartitionedWorkflows = async (queue, executorId, version, room, ownerXid) => {
    const [count] = await database.run<QueueCount>(buildCountQuery(schema), [
      queue.name,
      queue.name === hostQueue ? host : null,
    ]);
    // Mostly nothing waits, and this is all that was asked.
    if (count === undefined || count.waiting === 0) return [];
    const portion = Math.min(room, countPortion(count, concurrency - room));
    if (portion <= 0) return [];
    if (portion < count.waiting) onMore();
    return take.call(taking, queue, executorId, version, portion, ownerXid);
  };
}

const buildCountQuery = (schema: string): string => `
  with waits as (
    select created_at from ${schema}.workflow_status where queue_name = $1 and status = 'ENQUEUED'
    limit ${MOST_COUNTED}
  ), taken as (
    select from ${schema}.workflow_status where queue_name = $1 and status = 'PENDING' limit ${MOST_COUNTED}
  )
  select count(*)::int as waiting,
    (count(*) filter (where created_at < extract(epoch from now()) * 1000 - ${TURN_MS}))::int as late,
    (select count(*) from taken)::int as taken,
    (select count(*) from turnwright.workers where not draining and ($2::text is null or host = $2))::int as living
  from waits`;
