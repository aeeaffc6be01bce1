/**
 * Old sessions in a store of blobs. At each moment a session is in the tables or in the store, whole: its
 * rows go once the store has given back what it was given.
 */
import { TurnwrightError } from '@turnwright/engine/protocol/errors.ts';
import type { BlobStore } from '@turnwright/engine/protocol/ports.ts';
import type { Database, RunStatement } from '../database.ts';
import { type Archived, insertRows, packed, unpacked } from './archive-form.ts';
import { removeRows } from './remove-rows.ts';
import { noSuchSession } from './removed.ts';

/** Next sessions, in the order of their ids, that are idle and did not change for so long. */
export async function sessionsToArchive(
  run: RunStatement,
  { olderThanMs, behind }: { readonly olderThanMs: number; readonly behind: string },
): Promise<readonly string[]> {
  const rows = await run<{ readonly session_id: string }>(
    `select session_id from turnwright.sessions
     where session_id > $2 and state = 'idle' and (asked is null or asked <= answered)
       and updated_at < now() - make_interval(secs => $1)
     order by session_id limit 100`,
    [olderThanMs / 1_000, behind],
  );
  return rows.map(({ session_id }) => session_id);
}

/** What changes whenever a session does. */
const STANDING = `select epoch, head, run, updated_at::text from turnwright.sessions
  where session_id = $1 and state = 'idle'`;

/** false: it is not idle, or changed meanwhile. */
export async function archiveIdleSession(
  database: Database,
  blobs: BlobStore,
  sessionId: string,
): Promise<boolean> {
  const { run } = database;
  const [before] = await run<object>(STANDING, [sessionId]);
  if (before === undefined) return false;
  const { bytes, archived } = await packed(run, sessionId);
  const reference = await blobs.put(archived.key, bytes);
  unpacked(sessionId, await blobs.get(archived.key), archived);
  const isOut = await database.transaction(async (locked) => {
    const [now] = await locked<object>(`${STANDING} for update`, [sessionId]);
    if (JSON.stringify(now) !== JSON.stringify(before)) return false;
    await locked(
      `with gone as (delete from turnwright.sessions where session_id = $1 returning session_id)
       insert into turnwright.removed (session_id, kind, reference, facts)
       select session_id, 'archived', $2, $3 from gone`,
      [sessionId, reference, JSON.stringify(archived)],
    );
    return true;
  });
  if (isOut) await removeRows(run, [sessionId]);
  return isOut;
}

/** false: it is in the tables. Rejects with `session_not_found`, and with errors of the store. */
export async function restoreArchived(
  database: Database,
  blobs: BlobStore,
  sessionId: string,
): Promise<boolean> {
  const { run } = database;
  const [row] = await run<{ readonly facts: string | null; readonly has_rows: boolean }>(
    `select facts, has_rows from turnwright.removed where session_id = $1 and kind = 'archived'`,
    [sessionId],
  );
  if (row === undefined) {
    const [there] = await run('select 1 from turnwright.sessions where session_id = $1', [sessionId]);
    if (there === undefined) throw noSuchSession(sessionId);
    return false;
  }
  const archived = JSON.parse(row.facts ?? '{}') as Archived;
  const lines = unpacked(sessionId, await blobs.get(archived.key), archived);
  // Of an archival that was ended before it had removed them.
  if (row.has_rows && !(await removeRows(run, [sessionId]))) throw atIt(sessionId);
  return database.transaction(async (locked) => {
    const taken = await locked(
      `delete from turnwright.removed where session_id = $1 and kind = 'archived' and not has_rows
         and facts = $2 returning 1`,
      [sessionId, row.facts],
    );
    // Another process was faster.
    if (taken.length === 0) return false;
    await insertRows(locked, lines);
    await locked('update turnwright.sessions set updated_at = now() where session_id = $1', [sessionId]);
    return true;
  });
}

const atIt = (sessionId: string): TurnwrightError =>
  new TurnwrightError('session_removed', `Another process is archiving session ${sessionId}: try again.`);
