/** Which waits end a run (option `parkAfterMs`), and what the run before left of them. */
import type { Clock } from '../../protocol/ports.ts';
import type { ParkedRun, ParkingPort } from '../../protocol/session/parking.ts';
import type { SessionTaskTable } from '../../tasks/task-table.ts';

interface ParkingParts {
  readonly clock: Clock;
  /** Work in the background would end with the run, so a run with such work waits. */
  readonly tasks: Pick<SessionTaskTable, 'running'>;
}

/** undefined: every wait is waited for. */
export const composeParking = (
  afterMs: number | undefined,
  parts: ParkingParts,
): SessionParking | undefined => (afterMs === undefined ? undefined : new SessionParking(afterMs, parts));

export class SessionParking implements ParkingPort {
  readonly #afterMs: number;
  readonly #parts: ParkingParts;
  #sleeps: NonNullable<ParkedRun['sleeps']> = {};

  constructor(afterMs: number, parts: ParkingParts) {
    this.#afterMs = afterMs;
    this.#parts = parts;
  }

  /** Sleeps that began in an earlier run. */
  carryOn(sleeps: NonNullable<ParkedRun['sleeps']>): void {
    this.#sleeps = sleeps;
  }

  readonly isTooLong = (ms: number): boolean => ms > this.#afterMs && !this.#isNeeded;

  async due(signal: AbortSignal): Promise<boolean> {
    try {
      do await this.#parts.clock.sleep(this.#afterMs, signal);
      while (this.#isNeeded);
      return true;
    } catch {
      return false;
    }
  }

  wakeAtOf(toolUseId: string): number | undefined {
    return this.#sleeps[toolUseId];
  }

  get #isNeeded(): boolean {
    return this.#parts.tasks.running().length > 0;
  }
}
