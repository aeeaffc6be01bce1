/** Sessions that are not needed for long, out of the database and back. */
import type { BlobStore } from '@turnwright/engine/protocol/ports.ts';
import type { Database } from '../postgres/database.ts';
import { archiveIdleSession, restoreArchived, sessionsToArchive } from '../postgres/retention/archive.ts';
import { idPages } from '../postgres/retention/old-sessions.ts';
import { removeUnfinished } from '../postgres/retention/remove-rows.ts';

interface ArchiveOptions {
  /** Where they go: one compressed object for each, whose key begins with the id of the session. */
  readonly blobs: BlobStore;
  /** Sessions that did not change for so long, ms. */
  readonly olderThanMs: number;
}

/**
 * Moves idle sessions into a store, each with its journal, prompts, large results and checkpoints of files.
 * What the store was given is read back and compared before a row is deleted; a row stays that says where the
 * session is. It may be ended anywhere, and run several times at once. Objects are never deleted. Returns the
 * ids of the sessions.
 *
 * @example
 * ```ts
 * import { archiveSessions, folderStore, openDatabase } from 'turnwright/durable';
 *
 * const database = await openDatabase({ url: 'postgresql:///turnwright?host=/var/run/postgresql' });
 * const blobs = folderStore('/srv/archive');
 * console.log(await archiveSessions(database, { blobs, olderThanMs: 180 * 86_400_000 }));
 * await database.close();
 * ```
 */
export async function archiveSessions(
  database: Database,
  { blobs, olderThanMs }: ArchiveOptions,
): Promise<readonly string[]> {
  const { run } = database;
  await removeUnfinished(run);
  const archived: string[] = [];
  for await (const ids of idPages((behind) => sessionsToArchive(run, { olderThanMs, behind })))
    for (const id of ids) if (await archiveIdleSession(database, blobs, id)) archived.push(id);
  return archived;
}

interface RestoreOptions {
  readonly sessionId: string;
  /** The store that it was archived in. */
  readonly blobs: BlobStore;
}

/**
 * Brings an archived session back, as it was. `false`: it was in the database already. Rejects with
 * `session_not_found`, and with `storage_error` when the store does not have what was archived: the session
 * then stays archived.
 *
 * @example
 * ```ts
 * import { folderStore, openDatabase, restoreSession } from 'turnwright/durable';
 *
 * const database = await openDatabase({ url: 'postgresql:///turnwright?host=/var/run/postgresql' });
 * await restoreSession(database, { sessionId: 's1', blobs: folderStore('/srv/archive') });
 * await database.close();
 * ```
 */
export function restoreSession(database: Database, { sessionId, blobs }: RestoreOptions): Promise<boolean> {
  return restoreArchived(database, blobs, sessionId);
}
