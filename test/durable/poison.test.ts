import { expect, test } from 'vitest';
import { type DurableClient, durableClient } from '../../src/durable/index.ts';
import { inForm } from '../long-form.ts';
import { percentile } from './percentile.ts';
import { eventually, report, startFleet } from './processes.ts';

const form = inForm({ others: 10, judged: false }, { others: 100, judged: true });
/** How much later than without a poisoned session the sessions of other tenants may end. */
const MOST_DELAY_MS = 10_000;

/** Sends a prompt to each, and waits until all are done; ms from the prompt to the end of each. */
async function work(client: DurableClient, ids: readonly string[]): Promise<readonly number[]> {
  return Promise.all(
    ids.map(async (id) => {
      const sentMs = performance.now();
      const { uuid, cursor } = await client.send(id, 'Go.', { tenant: 'other' });
      for await (const _ of client.follow(id, { from: cursor, until: uuid }));
      return performance.now() - sentMs;
    }),
  );
}

test('D10: a session that kills every worker is set aside, and the others go on', {
  timeout: 240_000,
}, async () => {
  const fleet = await startFleet();
  const client = durableClient(fleet.url);
  let deaths = 0;
  let isOver = false;
  const supervised = async (): Promise<void> => {
    while (!isOver) {
      // A worker may die as soon as it has started.
      await fleet.start('poison.ts').then(
        (one) => one.exited,
        () => null,
      );
      if (!isOver) deaths += 1;
    }
  };
  const supervising = [supervised(), supervised()];
  const named = (kind: string) => Array.from({ length: form.others }, (_, at) => `${kind}-${at}`);
  const before = await work(client, named('before'));
  await client.send('poison', 'Go.', { tenant: 'poisoned' });
  const others = named('other');
  const working = work(client, others);
  const poisoned = () => client.status('poison');
  await eventually(async () => (await poisoned())?.state === 'poisoned', {
    limitMs: 90_000,
    describe: poisoned,
  });
  expect((await poisoned())?.outcome).toEqual({
    error: 'Set aside after 5 runs in a row without any progress: each time the worker ended.',
  });
  const during = await working;
  for (const id of others) expect((await client.status(id))?.state).toBe('idle');
  const p95 = { before: percentile(before, 0.95), during: percentile(during, 0.95) };
  report({ test: 'D10', others: others.length, p95 });
  if (form.judged) expect(p95.during - p95.before).toBeLessThan(MOST_DELAY_MS);
  // One with the first progress, and five without any.
  expect(deaths).toBe(6);
  isOver = true;
  fleet.end();
  await Promise.all(supervising);
  await client.close();
});
