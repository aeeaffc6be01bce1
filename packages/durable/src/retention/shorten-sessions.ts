/** Keeps sessions that live for months from growing without bound. */
import type { Database } from '../postgres/database.ts';
import { idPages } from '../postgres/retention/old-sessions.ts';
import { longSessions, shortenSession } from '../postgres/retention/shorten-session.ts';

/** What was removed. */
export interface Shortened {
  readonly sessions: number;
  /** Of their journals. */
  readonly records: number;
}

/**
 * Removes what sessions that go on do not need any more: records before a compaction that is older than
 * `olderThanMs`, the messages and large results of these, and answered questions. The conversation, its cost
 * and its title, checkpoints of files, and the keys of prompts stay. A session that works is left alone. It
 * may be ended anywhere, and workers may run beside it.
 *
 * @example
 * ```ts
 * import { openDatabase, shortenSessions } from 'turnwright/durable';
 *
 * const database = await openDatabase({ url: 'postgresql:///turnwright?host=/var/run/postgresql' });
 * console.log(await shortenSessions(database, { olderThanMs: 30 * 86_400_000 }));
 * await database.close();
 * ```
 */
export async function shortenSessions(
  database: Database,
  { olderThanMs }: { readonly olderThanMs: number },
): Promise<Shortened> {
  let sessions = 0;
  let records = 0;
  for await (const ids of idPages((behind) => longSessions(database.run, { olderThanMs, behind })))
    for (const sessionId of ids) {
      const removed = await shortenSession(database, { sessionId, olderThanMs });
      records += removed;
      if (removed > 0) sessions += 1;
    }
  return { sessions, records };
}
