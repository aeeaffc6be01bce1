/** A clock that only advances when a test says so. */
import type { Clock } from '@turnwright/engine/protocol/ports.ts';

/** A clock that only the test moves. Times in ms. */
export interface VirtualClock extends Clock {
  /**
   * Advances by `ms`: timers and sleeps fire in the order of their due times, and the work that they start
   * runs in between.
   */
  advance(ms: number): Promise<void>;
  /**
   * Simulates a sleep of the process or machine for `ms`: no timer fires meanwhile; due timers fire late,
   * with `advance(0)`.
   */
  standStill(ms: number): void;
  /** Runs everything that can run without time passing. */
  settle(): Promise<void>;
  /** Advances from timer to timer until the work is done. */
  runUntil<T>(work: Promise<T>): Promise<T>;
  /** Number of pending timers and sleeps. */
  readonly pending: number;
  /** Sets the wall clock (an NTP step, a laptop's sleep); monotonic time and timers are not affected. */
  setWall(ms: number): void;
}

interface Waiting {
  readonly dueMs: number;
  readonly fire: () => void;
}

/**
 * Wall time starts at `startMs` (default 2026-01-01T00:00:00Z), monotonic time at 0.
 *
 * @example
 * ```ts
 * const clock = virtualClock();
 * const slept = clock.sleep(60_000, new AbortController().signal);
 * await clock.advance(60_000);
 * await slept;
 * ```
 */
export function virtualClock(startMs: number = Date.UTC(2026, 0, 1)): VirtualClock {
  let monotonic = 0;
  let wallOffset = startMs;
  const waiting = new Set<Waiting>();

  const add = (ms: number, fire: () => void) => {
    const entry: Waiting = { dueMs: monotonic + Math.max(0, ms), fire };
    waiting.add(entry);
    return () => {
      waiting.delete(entry);
    };
  };
  const next = (untilMs: number): Waiting | undefined => {
    let earliest: Waiting | undefined;
    for (const entry of waiting) {
      if (entry.dueMs <= untilMs && (earliest === undefined || entry.dueMs < earliest.dueMs))
        earliest = entry;
    }
    return earliest;
  };
  const fire = async (entry: Waiting) => {
    waiting.delete(entry);
    monotonic = Math.max(monotonic, entry.dueMs);
    entry.fire();
    await turnOfEvents();
  };

  return {
    nowMs: () => wallOffset + monotonic,
    monotonicMs: () => monotonic,
    timer: add,
    sleep(ms, signal) {
      return new Promise<void>((resolve, reject) => {
        if (signal?.aborted) {
          reject(signal.reason);
          return;
        }
        const onAbort = () => {
          cancel();
          reject(signal?.reason);
        };
        const cancel = add(ms, () => {
          signal?.removeEventListener('abort', onAbort);
          resolve();
        });
        signal?.addEventListener('abort', onAbort, { once: true });
      });
    },
    async advance(ms) {
      const until = monotonic + ms;
      await turnOfEvents();
      for (let entry = next(until); entry !== undefined; entry = next(until)) await fire(entry);
      monotonic = until;
      await turnOfEvents();
    },
    standStill(ms) {
      monotonic += ms;
    },
    settle: turnOfEvents,
    async runUntil(work) {
      let done = false;
      const settled = () => {
        done = true;
      };
      work.then(settled, settled);
      await turnOfEvents();
      while (!done) {
        const entry = next(Number.POSITIVE_INFINITY);
        if (entry === undefined) await turnOfEvents();
        else await fire(entry);
      }
      return work;
    },
    get pending() {
      return waiting.size;
    },
    setWall(ms) {
      wallOffset = ms - monotonic;
    },
  };
}

/** Runs all due microtasks, and one turn of the event loop. */
function turnOfEvents(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
