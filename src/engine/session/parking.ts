/** Which waits end a run (option `parkAfterMs`), and how the session goes on after one. */
import type { Clock } from '../../protocol/ports.ts';
import type { ParkingPort } from '../../protocol/session/parking.ts';
import type { SessionTaskTable } from '../../tasks/task-table.ts';

interface ParkingParts {
  readonly clock: Clock;
  /** Work in the background would end with the run, so a run with such work waits. */
  readonly tasks: Pick<SessionTaskTable, 'running'>;
}

/** undefined: every wait is waited for. */
export function composeParking(
  afterMs: number | undefined,
  { clock, tasks }: ParkingParts,
): ParkingPort | undefined {
  if (afterMs === undefined) return undefined;
  return {
    async due(signal) {
      try {
        do await clock.sleep(afterMs, signal);
        while (tasks.running().length > 0);
        return true;
      } catch {
        return false;
      }
    },
    isTooLong: (ms) => ms > afterMs && tasks.running().length === 0,
  };
}
