/** A prompt for a session that was taken out: it begins anew once its rows are gone. */
import { systemClock } from '../../../util/clock.ts';
import type { RunStatement } from '../database.ts';
import { isBeingDeleted, removeRows } from './remove-rows.ts';

/** How long another process may take to remove what it is at. */
const MOST_TRIES = 100;
const RETRY_MS = 50;

/** `work` inserts the session. Rejects with `session_removed` when it is archived. */
export async function afterRemoval<T>(
  run: RunStatement,
  sessionId: string,
  work: () => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await work();
    } catch (error) {
      if (!isBeingDeleted(error) || tries === MOST_TRIES) throw error;
    }
    if (!(await removeRows(run, [sessionId]))) await systemClock.sleep(RETRY_MS);
  }
}
