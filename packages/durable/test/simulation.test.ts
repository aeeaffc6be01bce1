/** The model of many machines (`npm run bench:scale`) against what queueing theory says in closed form. */
import { expect, test } from 'vitest';

interface Figures {
  readonly finished: number;
  readonly elapsedMs: number;
  readonly postgresUsed: number;
  readonly notifyLockUsed: number;
}
interface Queue {
  readonly nowMs: number;
  after(delayMs: number, callback: () => void): void;
  runUntil(endMs: number): void;
}

const script = <T>(name: string): Promise<T> =>
  import(new URL(`../../../bench/scale/${name}.mjs`, import.meta.url).href) as Promise<T>;
const { simulateCell } = await script<{ simulateCell(options: object): Figures }>('cell');
const { EventQueue, Station } = await script<{
  readonly EventQueue: new () => Queue;
  readonly Station: new (queue: Queue, servers: number) => { serve(ms: number, done: () => void): void };
}>('event-queue');
const { exponential, randomOf } = await script<{
  randomOf(seed: number): () => number;
  exponential(random: () => number, mean: number): number;
}>('random');

/** Mean ms that a job waits for one of `servers`, by simulation. */
function meanWait(servers: number, arrivalsPerMs: number, serviceMs: number): number {
  const queue = new EventQueue();
  const station = new Station(queue, servers);
  const random = randomOf(7);
  let waited = 0;
  let jobs = 0;
  const arrive = () => {
    const cameMs = queue.nowMs;
    const needsMs = exponential(random, serviceMs);
    station.serve(needsMs, () => {
      waited += queue.nowMs - cameMs - needsMs;
      jobs++;
    });
    queue.after(exponential(random, 1 / arrivalsPerMs), arrive);
  };
  arrive();
  queue.runUntil(400_000);
  return waited / jobs;
}

test('a job waits as long as the formulas for M/M/1 and M/M/2 say', () => {
  // Use 0.8. M/M/1: use / (1 - use) × service. M/M/2 (Erlang C): use² / (1 - use²) × service.
  expect(meanWait(1, 0.8, 1)).toBeCloseTo(4, 0);
  expect(meanWait(2, 1.6, 1)).toBeCloseTo(0.64 / 0.36, 0);
});

const costs = {
  postgresMsPerRun: 8,
  postgresMsPerIteration: 1,
  postgresMsPerDeltaBatch: 0.2,
  workerMsPerIteration: 1,
  workerMsPerDeltaBatch: 0.1,
  notifyLockMs: 0.4,
  commitMs: 1,
  commitsPerIteration: 3,
  walBytesPerIteration: 4_000,
  pollMs: 100,
};

test('a cell finishes what was started, and uses the CPU that its iterations cost', () => {
  const load = { sessions: 200, iterations: 20, modelMs: 50, toolsMs: 40, deltaBatches: 0, followed: 0 };
  const found = simulateCell({ cell: { sharedCores: 2 }, load, costs, seconds: 600 });
  expect(found.finished).toBe(200);
  const cpuMs = 200 * (costs.postgresMsPerRun + 20 * 2);
  expect((found.postgresUsed * 2 * found.elapsedMs) / cpuMs).toBeCloseTo(1, 1);
  // Two cores that are busy all the time are what it cannot be faster than.
  expect(found.elapsedMs).toBeGreaterThan(cpuMs / 2);
});

test('deltas that notify saturate the one lock of the database before its cores', () => {
  const load = {
    startsPerSecond: 50,
    iterations: 1,
    modelMs: 800,
    toolsMs: 200,
    deltaBatches: 50,
    followed: 1,
  };
  const found = simulateCell({ cell: { postgresCores: 16, workerCores: 100 }, load, costs, seconds: 60 });
  expect(found.notifyLockUsed).toBeGreaterThan(0.9);
  expect(found.postgresUsed).toBeLessThan(0.2);
});
