import { setImmediate } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { turnToStart } from '../../src/util/async/start-turns.ts';

it('what asks to start at once starts in order, a few in each turn of the event loop', async () => {
  await setImmediate();
  const started: number[] = [];
  for (let n = 0; n < 30; n++) {
    const turn = turnToStart();
    if (turn === undefined) started.push(n);
    else void turn.then(() => started.push(n));
  }
  const seen: number[] = [];
  while (started.length < 30) {
    seen.push(started.length);
    await setImmediate();
  }
  expect(seen).toEqual([8, 16, 24]);
  expect(started).toEqual(Array.from({ length: 30 }, (_, n) => n));
});

it('a single start never waits', async () => {
  for (let n = 0; n < 30; n++) {
    await setImmediate();
    expect(turnToStart()).toBeUndefined();
  }
});
