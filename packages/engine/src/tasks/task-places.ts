/** Places in the background: a session has a limited number of them. */
import { TurnwrightError } from '../protocol/errors.ts';
import { isRunning, type TaskEntry } from './task-entry.ts';

/** Ids that a refusal names. */
const SHOWN = 10;

/** Throws `too_many_tasks` when all are taken. What it returns gives the place back, and throws. */
export function takePlace(
  entry: TaskEntry,
  among: Iterable<TaskEntry>,
  max: number,
): (error: unknown) => never {
  const taken = [...among].filter((each) => isRunning(each) && each.hasPlace);
  if (taken.length >= max) {
    const ids = taken.slice(0, SHOWN).map(({ info }) => info.taskId);
    const named = taken.length > SHOWN ? [...ids, '…'] : ids;
    throw new TurnwrightError(
      'too_many_tasks',
      taken.length === 0
        ? 'Nothing may run in the background here (maxBackgroundTasks is 0). Run it in the foreground.'
        : `${taken.length} tasks run in the background, which is as many as may at the same time (maxBackgroundTasks): ${named.join(', ')}. Stop one of them, or wait until one has ended.`,
    );
  }
  entry.hasPlace = true;
  return (error) => {
    entry.hasPlace = false;
    throw error;
  };
}
