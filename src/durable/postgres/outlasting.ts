/** Statements that wait while the server is away: it restarts, or a standby takes its place. */
import type { Clock } from '../../protocol/ports.ts';
import { systemClock } from '../../util/clock.ts';
import type { Statements } from './database.ts';
import { isConflict, isOutage } from './database-error.ts';

interface OutlastingOptions {
  /** @default 60,000 ms */
  readonly outageMs?: number | undefined;
  readonly clock?: Pick<Clock, 'monotonicMs' | 'sleep'> | undefined;
}

const OUTAGE_MS = 60_000;
const FIRST_WAIT_MS = 50;
const MAX_WAIT_MS = 1_000;

/**
 * The same statements, repeated until the server answers, for at most `outageMs`. When a connection breaks it
 * is not known whether the last statement was committed, so each must be one that may be repeated.
 */
export function outlasting(
  database: Statements,
  { outageMs = OUTAGE_MS, clock = systemClock }: OutlastingOptions = {},
): Statements {
  async function repeated<T>(work: () => Promise<T>): Promise<T> {
    const endMs = clock.monotonicMs() + outageMs;
    for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, MAX_WAIT_MS)) {
      try {
        return await work();
      } catch (error) {
        const mayPass = isOutage(error) || isConflict(error);
        if (!mayPass || clock.monotonicMs() + waitMs > endMs) throw error;
      }
      await clock.sleep(waitMs);
    }
  }
  return {
    run: (statement, values) => repeated(() => database.run(statement, values)),
    transaction: (work) => repeated(() => database.transaction(work)),
  };
}
