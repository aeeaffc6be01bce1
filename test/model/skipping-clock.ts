/** The virtual clock, on which sleeping takes no real time and is written down: back-off is read off the list. */
import { type VirtualClock, virtualClock } from '@turnwright/testing/virtual-clock.ts';

export interface SkippingClock extends VirtualClock {
  /** What was slept, in ms, in order. */
  readonly sleeps: readonly number[];
}

/** `holdSleeps`: sleeps are written down, and wait for `advance` like timers. */
export function skippingClock({ holdSleeps = false } = {}): SkippingClock {
  const clock = virtualClock(Date.UTC(2026, 10, 1));
  const sleeps: number[] = [];
  return {
    ...clock,
    sleeps,
    get pending() {
      return clock.pending;
    },
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      sleeps.push(ms);
      if (holdSleeps) await clock.sleep(ms, signal);
      else await clock.advance(ms);
    },
    async advance(ms) {
      await settle();
      await clock.advance(ms);
      await settle();
    },
  };
}

/** Lets sockets and promises catch up. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}
