import { setTimeout as sleep } from 'node:timers/promises';
import { eventually, report, startFleet } from '@turnwright/test/durable/processes.ts';
import { inForm } from '@turnwright/test/long-form.ts';
import { percentile } from '@turnwright/test/percentile.ts';
import { expect, test } from 'vitest';
import { type DurableClient, durableClient } from '../src/index.ts';

const form = inForm(
  { sessions: 15, everyMs: 100, judged: false },
  { sessions: 400, everyMs: 100, judged: true },
);
/** For so long the sessions of other tenants may be slower because of a poisoned one. */
const DISTURBED_MS = 10_000;
/** From then on they take as long as in the run without one, as far as two runs are alike. */
const ALIKE = { factor: 1.5, ms: 50 };

interface Worked {
  /** ms from the beginning to the prompt, and from the prompt to its end. */
  readonly sentMs: number;
  readonly tookMs: number;
}

/** Sends a prompt to one session after the other, at a steady pace; resolves when all are done. */
async function work(client: DurableClient, kind: string): Promise<readonly Worked[]> {
  const beganMs = performance.now();
  const working: Promise<Worked>[] = [];
  const one = async (id: string): Promise<Worked> => {
    const sentMs = performance.now();
    const { uuid, cursor } = await client.send(id, 'Go.', { tenant: 'other' });
    for await (const _ of client.follow(id, { from: cursor, until: uuid }));
    return { sentMs: sentMs - beganMs, tookMs: performance.now() - sentMs };
  };
  for (let at = 0; at < form.sessions; at += 1) {
    working.push(one(`${kind}-${at}`));
    await sleep(form.everyMs);
  }
  return Promise.all(working);
}

/** Of those that were sent when the disturbance may last, and of those that were sent later. */
function p95Of(worked: readonly Worked[]) {
  const within = (from: number, to: number) =>
    Math.round(
      percentile(
        worked.flatMap(({ sentMs, tookMs }) => (sentMs >= from && sentMs < to ? [tookMs] : [])),
        0.95,
      ),
    );
  return { first: within(0, DISTURBED_MS), later: within(DISTURBED_MS, Number.POSITIVE_INFINITY) };
}

test('D10: a session that kills every worker is set aside, and the others go on', {
  timeout: 300_000,
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
  await eventually(async () => (await fleet.database.run('select 1 from turnwright.workers')).length === 2);
  // The same workers, the same pace and as many sessions: without the poisoned one, and with it.
  const without = await work(client, 'without');
  expect(deaths).toBe(0);
  await client.send('poison', 'Go.', { tenant: 'poisoned' });
  const poisonedMs = performance.now();
  const working = work(client, 'beside');
  const poisoned = () => client.status('poison');
  await eventually(async () => (await poisoned())?.state === 'poisoned', {
    limitMs: 300_000,
    describe: poisoned,
  });
  const setAsideMs = Math.round(performance.now() - poisonedMs);
  expect((await poisoned())?.outcome).toEqual({
    error:
      'Set aside after 5 runs in a row without any progress: each time the worker ended, the last time after Repeat had begun.',
  });
  const beside = await working;
  // A follower has its result before the run has ended.
  for (let at = 0; at < form.sessions; at += 1)
    await eventually(async () => (await client.status(`beside-${at}`))?.state === 'idle');
  const p95 = { without: p95Of(without), beside: p95Of(beside) };
  const mostMs = Math.round(Math.max(...beside.map(({ tookMs }) => tookMs)));
  report({ test: 'D10', sessions: form.sessions, setAsideMs, p95, mostMs });
  if (form.judged) {
    expect(p95.beside.later).toBeLessThan(p95.without.later * ALIKE.factor + ALIKE.ms);
    expect(mostMs).toBeLessThan(DISTURBED_MS + p95.without.first);
  }
  // Five without any progress, and perhaps one that had recorded some before it died.
  expect([5, 6]).toContain(deaths);
  isOver = true;
  fleet.end();
  await Promise.all(supervising);
  await client.close();
});
