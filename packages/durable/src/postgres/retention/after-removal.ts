/** A prompt for a session that was taken out: it begins anew once its rows are gone, or is brought back. */

import { systemClock } from '@turnwright/base/clock.ts';
import type { BlobStore } from '@turnwright/engine/protocol/ports.ts';
import type { Database } from '../database.ts';
import { restoreArchived } from './archive.ts';
import { isRemoved, removeRows } from './remove-rows.ts';

/** How long another process may take to remove what it is at. */
const MOST_TRIES = 100;
const RETRY_MS = 50;

interface Removal {
  readonly sessionId: string;
  /** Without one, `session_removed` is what an archived session is refused with. */
  readonly archive: BlobStore | undefined;
}

/** `work` inserts the session. */
export async function afterRemoval<T>(
  database: Database,
  { sessionId, archive }: Removal,
  work: () => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      const isArchived = isRemoved(error, 'archived');
      if (!(isArchived || isRemoved(error, 'deleting')) || tries === MOST_TRIES) throw error;
      if (isArchived && archive === undefined) throw error;
      if (isArchived && archive !== undefined) await restoreArchived(database, archive, sessionId);
      else if (!(await removeRows(database.run, [sessionId]))) await systemClock.sleep(RETRY_MS);
    }
  }
}
