import { expect, it } from 'vitest';
import { createStreamWatch, DEFAULT_TIMEOUTS, type Trip } from '../../src/model/stream-watch.ts';

/** Time that passes without its timers having had their turn: this process stood still. */
function stoppableClock() {
  let now = 0;
  let timers: { readonly dueMs: number; readonly callback: () => void }[] = [];
  return {
    nowMs: () => now,
    monotonicMs: () => now,
    sleep: async () => {},
    timer(ms: number, callback: () => void) {
      const timer = { dueMs: now + ms, callback };
      timers.push(timer);
      return () => {
        timers = timers.filter((each) => each !== timer);
      };
    },
    get armed() {
      return timers.length;
    },
    standStill(ms: number) {
      now += ms;
    },
    /** The timers that are due have their turn, and the immediates behind them. */
    async goOn() {
      const due = timers.filter(({ dueMs }) => dueMs <= now);
      timers = timers.filter((timer) => !due.includes(timer));
      for (const { callback } of due) callback();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}

function watching() {
  const clock = stoppableClock();
  const trips: Trip[] = [];
  const watch = createStreamWatch(clock, DEFAULT_TIMEOUTS, true, (trip) => trips.push(trip));
  watch.connected();
  watch.gotHeaders();
  watch.gotByte();
  return { clock, trips, watch };
}

it('a read that begins after this process stood still did not sleep', async () => {
  const { clock, trips, watch } = watching();
  watch.begin();
  watch.pause();
  clock.standStill(60_000);
  watch.begin();
  await clock.goOn();
  expect(trips).toEqual([]);
});

it('F40 a read that was outstanding over a leap did', async () => {
  const { clock, trips, watch } = watching();
  watch.begin();
  clock.standStill(60_000);
  await clock.goOn();
  expect(trips).toMatchObject([{ slept: true }]);
  expect(clock.armed).toBe(0);
});

it('nothing is armed again while nobody reads', async () => {
  const { clock, trips, watch } = watching();
  watch.begin();
  watch.pause();
  expect(clock.armed).toBe(1);
  clock.standStill(15_000);
  await clock.goOn();
  expect(clock.armed).toBe(0);
  clock.standStill(3_600_000);
  watch.begin();
  await clock.goOn();
  expect([trips, clock.armed]).toEqual([[], 1]);
  watch.end();
  expect(clock.armed).toBe(0);
});
