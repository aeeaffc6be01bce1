/** A real clock whose long waits take no time, and which knows what still waits on it. */

import { systemClock } from '@turnwright/base/clock.ts';
import type { Clock } from '@turnwright/engine/protocol/ports.ts';

export interface CollapsingClock extends Clock {
  /** Every wait that took no time, in ms, in order. */
  readonly waits: readonly number[];
  /** Timers and sleeps that are armed. */
  readonly pending: number;
}

/** Graces for children are shorter than this and are kept; back-off never is. */
const COLLAPSE_FROM_MS = 250;

export function collapsingClock(): CollapsingClock {
  const waits: number[] = [];
  let pending = 0;
  return {
    waits,
    get pending() {
      return pending;
    },
    nowMs: () => systemClock.nowMs(),
    monotonicMs: () => systemClock.monotonicMs(),
    async sleep(ms, signal) {
      pending += 1;
      try {
        if (ms >= COLLAPSE_FROM_MS) waits.push(ms);
        await systemClock.sleep(ms >= COLLAPSE_FROM_MS ? 0 : ms, signal);
      } finally {
        pending -= 1;
      }
    },
    timer(ms, callback) {
      let armed = true;
      pending += 1;
      const disarm = () => {
        if (armed) pending -= 1;
        armed = false;
      };
      const cancel = systemClock.timer(ms, () => {
        disarm();
        callback();
      });
      return () => {
        disarm();
        cancel();
      };
    },
  };
}
