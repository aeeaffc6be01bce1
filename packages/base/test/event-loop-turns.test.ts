import { setImmediate } from 'node:timers/promises';
import { beforeEach, expect, it } from 'vitest';
import { turnToIterate, turnToStart } from '../src/async/event-loop-turns.ts';

/** What asks for its turn, in the order in which it begins. */
let begun: string[] = [];

function ask(turn: () => Promise<void> | undefined, name: string): void {
  const mayBegin = turn();
  if (mayBegin === undefined) begun.push(name);
  else void mayBegin.then(() => begun.push(name));
}

const named = (kind: string, count: number) => Array.from({ length: count }, (_, n) => `${kind} ${n}`);

/** How many had begun at the start of each turn of the event loop, until `count` have. */
async function untilBegun(count: number): Promise<number[]> {
  const seen: number[] = [];
  while (begun.length < count) {
    seen.push(begun.length);
    await setImmediate();
  }
  return seen;
}

beforeEach(async () => {
  begun = [];
  for (let turn = 0; turn < 3; turn++) await setImmediate();
});

it('iterations that are due at the same time begin in order, eight in each turn of the event loop', async () => {
  for (const name of named('iteration', 30)) ask(turnToIterate, name);
  expect(await untilBegun(30)).toEqual([8, 16, 24]);
  expect(begun).toEqual(named('iteration', 30));
});

it('sessions that start at the same time start in order, eight in each turn of the event loop', async () => {
  for (const name of named('start', 30)) ask(turnToStart, name);
  expect(await untilBegun(30)).toEqual([8, 16, 24]);
  expect(begun).toEqual(named('start', 30));
});

it('sessions that start wait until each iteration that is due has begun', async () => {
  for (const name of named('iteration', 30)) ask(turnToIterate, name);
  for (const name of named('start', 20)) ask(turnToStart, name);
  await untilBegun(50);
  const iterations = named('iteration', 30);
  const starts = named('start', 20);
  // The first eight of each need not wait.
  expect(begun).toEqual([
    ...iterations.slice(0, 8),
    ...starts.slice(0, 8),
    ...iterations.slice(8),
    ...starts.slice(8),
  ]);
});

it('an iteration does not wait for the sessions that start', async () => {
  for (const name of named('start', 20)) ask(turnToStart, name);
  ask(turnToIterate, 'iteration');
  expect(begun).toContain('iteration');
});

it.each([
  ['start', turnToStart],
  ['iteration', turnToIterate],
] as const)('a single %s in a turn of the event loop never waits', async (_kind, turn) => {
  for (let n = 0; n < 30; n++) {
    await setImmediate();
    expect(turn()).toBeUndefined();
  }
});
