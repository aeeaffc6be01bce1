import { virtualClock } from '@turnwright/testing/virtual-clock.ts';
import { expect, it } from 'vitest';
import { createStreamWatch, DEFAULT_TIMEOUTS, type Trip } from '../../src/model/stream/stream-watch.ts';

function watching() {
  const clock = virtualClock();
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
  await clock.advance(0);
  expect(trips).toEqual([]);
});

it('F40 a read that was outstanding over a leap did', async () => {
  const { clock, trips, watch } = watching();
  watch.begin();
  clock.standStill(60_000);
  await clock.advance(0);
  expect(trips).toMatchObject([{ slept: true }]);
  expect(clock.pending).toBe(0);
});

it('nothing is armed again without an outstanding read', async () => {
  const { clock, trips, watch } = watching();
  watch.begin();
  watch.pause();
  expect(clock.pending).toBe(1);
  clock.standStill(15_000);
  await clock.advance(0);
  expect(clock.pending).toBe(0);
  clock.standStill(3_600_000);
  watch.begin();
  await clock.advance(0);
  expect([trips, clock.pending]).toEqual([[], 1]);
  watch.end();
  expect(clock.pending).toBe(0);
});
