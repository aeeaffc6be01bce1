/** Removes sessions that are over, and what the dispatch keeps of runs that are over. */
import { systemClock } from '@turnwright/base/clock.ts';
import { dbosRunner } from '../dbos.ts';
import type { Runner } from '../dispatch.ts';
import type { Database } from '../postgres/database.ts';
import { deleteOldSessions } from '../postgres/retention/old-sessions.ts';

/**
 * Deletes sessions, with all that belongs to them, that are idle or poisoned and did not change for
 * `olderThanMs`, and the records of ended runs that were asked for before. A session that waits for an answer
 * is kept. Transactions are small, workers may run beside it, and what a call that was ended has left is
 * removed by the next one. Returns the ids of the sessions.
 *
 * @example
 * ```ts
 * import { openDatabase, pruneSessions } from 'turnwright/durable';
 *
 * const database = await openDatabase({ url: 'postgresql:///turnwright?host=/var/run/postgresql' });
 * console.log(await pruneSessions(database, { olderThanMs: 30 * 86_400_000 }));
 * await database.close();
 * ```
 */
export async function pruneSessions(
  database: Database,
  {
    olderThanMs,
    runner = dbosRunner,
  }: { readonly olderThanMs: number; readonly runner?: Runner | undefined },
): Promise<readonly string[]> {
  const gone = await deleteOldSessions(database, { olderThanMs });
  const dispatch = await runner.open(database);
  try {
    await dispatch.prune(systemClock.nowMs() - olderThanMs);
  } finally {
    await dispatch.close();
  }
  return gone;
}
