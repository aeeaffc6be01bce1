/** Removes old sessions, bounded by rows. */
import type { Database } from '../database.ts';
import { removeRows, takeOutOld, unfinished } from './remove-rows.ts';

/**
 * Deletes sessions, with all that belongs to them, that are idle or poisoned and did not change for
 * `olderThanMs`, and ends what an earlier call did not. A session that waits for an answer is kept. Returns
 * their ids.
 */
export async function deleteOldSessions(
  { run }: Pick<Database, 'run'>,
  { olderThanMs }: { readonly olderThanMs: number },
): Promise<readonly string[]> {
  const gone: string[] = [];
  for (let ids = await unfinished(run); ids.length > 0; ids = await unfinished(run)) {
    // Otherwise another process is at it.
    if (!(await removeRows(run, ids))) break;
  }
  for (let behind = ''; ; ) {
    const ids = await takeOutOld(run, { olderThanMs, behind });
    const last = ids.at(-1);
    if (last === undefined) break;
    behind = last;
    gone.push(...ids);
    await removeRows(run, ids);
  }
  await run("delete from turnwright.followers where until < now() - interval '1 hour'");
  return gone;
}
