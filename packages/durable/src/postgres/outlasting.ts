/** Statements that wait while the server is away: it restarts, or a standby takes its place. */

import { systemClock } from '@turnwright/base/clock.ts';
import type { Clock } from '@turnwright/engine/protocol/ports.ts';
import type { Statements } from './database.ts';
import { isConflict, isOutage } from './database-error.ts';
import { perDatabase } from './group-calls.ts';

interface OutlastingOptions {
  /** @default 60,000 ms */
  readonly outageMs?: number | undefined;
  readonly clock?: Pick<Clock, 'monotonicMs' | 'sleep'> | undefined;
}

const OUTAGE_MS = 60_000;
const FIRST_WAIT_MS = 50;
const MAX_WAIT_MS = 1_000;

/** What is repeated now, because the server refused it at first at this time, in ms. */
interface Repeated {
  readonly sinceMs: number;
  readonly why: unknown;
}

const repeatedOn = perDatabase(() => new Set<Repeated>());

/** With what the server has refused something of this process for so many ms; undefined: it has not. */
export function refusedFor(database: Statements, ms: number): unknown {
  const beforeMs = systemClock.monotonicMs() - ms;
  return [...repeatedOn(database)].find(({ sinceMs }) => sinceMs <= beforeMs)?.why;
}

/**
 * The same statements, repeated until the server answers, for at most `outageMs`. When a connection breaks it
 * is not known whether the last statement was committed, so each must be one that may be repeated.
 */
export function outlasting(
  database: Statements,
  { outageMs = OUTAGE_MS, clock = systemClock }: OutlastingOptions = {},
): Statements {
  const all = repeatedOn(database);

  async function repeated<T>(work: () => Promise<T>): Promise<T> {
    const endMs = clock.monotonicMs() + outageMs;
    let refused: Repeated | undefined;
    try {
      for (let waitMs = FIRST_WAIT_MS; ; waitMs = Math.min(waitMs * 2, MAX_WAIT_MS)) {
        try {
          return await work();
        } catch (why) {
          const mayPass = isOutage(why) || isConflict(why);
          if (!mayPass || clock.monotonicMs() + waitMs > endMs) throw why;
          refused ??= { sinceMs: systemClock.monotonicMs(), why };
          all.add(refused);
        }
        await clock.sleep(waitMs);
      }
    } finally {
      if (refused !== undefined) all.delete(refused);
    }
  }
  return {
    run: (statement, values) => repeated(() => database.run(statement, values)),
    transaction: (work) => repeated(() => database.transaction(work)),
  };
}
