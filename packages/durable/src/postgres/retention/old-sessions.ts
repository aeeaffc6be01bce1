/** Removes old sessions, bounded by rows. */
import type { Database } from '../database.ts';
import { removeRows, removeUnfinished, takeOutOld } from './remove-rows.ts';

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
  await removeUnfinished(run);
  for await (const ids of idPages((behind) => takeOutOld(run, { olderThanMs, behind }))) {
    gone.push(...ids);
    await removeRows(run, ids);
  }
  await run("delete from turnwright.followers where until < now() - interval '1 hour'");
  return gone;
}

/**
 * Pages of ids of sessions, in their order: each is asked for behind the last one of the page before, so that
 * none is met twice, whatever became of it.
 */
export async function* idPages(
  next: (behind: string) => Promise<readonly string[]>,
): AsyncGenerator<readonly string[], void> {
  for (let behind: string | undefined = ''; behind !== undefined; ) {
    const ids: readonly string[] = await next(behind);
    behind = ids.at(-1);
    if (behind !== undefined) yield ids;
  }
}
