import type { Clock } from '../../src/protocol/ports.ts';

interface Timer {
  readonly at: number;
  readonly fire: () => void;
}

export interface VirtualClock extends Clock {
  /** What was slept, in order. */
  readonly sleeps: number[];
  /** Timers that are armed now. */
  readonly armed: number;
  /** Time passes: timers fire in order, each at its time; real I/O goes on in between. */
  advance(ms: number): Promise<void>;
  /** The machine sleeps: time jumps, then whatever is due fires late. */
  leap(ms: number): Promise<void>;
  /** Hold sleeps instead of passing them at once. */
  holdSleeps: boolean;
}

/** Sleeping takes no real time and moves the clock; timers wait for `advance` or `leap`. */
export function virtualClock(startMs: number = Date.UTC(2026, 10, 1)): VirtualClock {
  let elapsed = 0;
  const timers = new Set<Timer>();
  const due = (until: number) =>
    [...timers].filter((timer) => timer.at <= until).sort((a, b) => a.at - b.at)[0];
  const fire = (timer: Timer) => {
    timers.delete(timer);
    timer.fire();
  };
  const clock: VirtualClock = {
    sleeps: [],
    holdSleeps: false,
    get armed() {
      return timers.size;
    },
    nowMs: () => startMs + elapsed,
    monotonicMs: () => elapsed,
    async sleep(ms, signal) {
      signal?.throwIfAborted();
      clock.sleeps.push(ms);
      if (!clock.holdSleeps) {
        elapsed += ms;
        return;
      }
      await new Promise<void>((resolve, reject) => {
        const cancel = clock.timer(ms, resolve);
        signal?.addEventListener('abort', () => {
          cancel();
          reject(signal.reason);
        });
      });
    },
    timer(ms, callback) {
      const timer = { at: elapsed + ms, fire: callback };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    async advance(ms) {
      const until = elapsed + ms;
      await settle();
      for (let next = due(until); next !== undefined; next = due(until)) {
        elapsed = Math.max(elapsed, next.at);
        fire(next);
        await settle();
      }
      elapsed = until;
    },
    async leap(ms) {
      elapsed += ms;
      for (let next = due(elapsed); next !== undefined; next = due(elapsed)) fire(next);
      await settle();
    },
  };
  return clock;
}

/** Lets sockets and promises catch up. */
export async function settle(): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve));
}
