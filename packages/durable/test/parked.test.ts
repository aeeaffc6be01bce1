import { setTimeout as sleep } from 'node:timers/promises';
import {
  eventually,
  type Fleet,
  report,
  startFleet,
  type WorkerProcess,
} from '@turnwright/test/durable/processes.ts';
import { inForm } from '@turnwright/test/long-form.ts';
import { percentile } from '@turnwright/test/percentile.ts';
import { expect, onTestFinished, test } from 'vitest';
import { durableClient } from '../src/index.ts';

const form = inForm(
  { parked: 30, oneByOne: 5, atOnce: 5, everyMs: 10, judged: false },
  { parked: 10_000, oneByOne: 150, atOnce: 50, everyMs: 200, judged: true },
);

/** Of a parked session, in a worker: code and caches still grow a little. An engine that stays has 100 kB. */
const MOST_HEAP_BYTES = 4_000;

async function heapOf(one: WorkerProcess): Promise<{ readonly heap: number; readonly busy: number }> {
  const before = one.stdout().length;
  one.signal('SIGUSR2');
  await eventually(() => /heap \d+ \d+\n/.test(one.stdout().slice(before)));
  const [, heap, busy] = /heap (\d+) (\d+)\n/.exec(one.stdout().slice(before)) ?? [];
  return { heap: Number(heap), busy: Number(busy) };
}

const parkedOf = async ({ database }: Fleet): Promise<number> => {
  const [row] = await database.run<{ readonly n: number }>(
    `select count(*)::int as n from turnwright.sessions where state = 'parked' and worker is null`,
  );
  return row?.n ?? 0;
};

const connectionsOf = async ({ database }: Fleet): Promise<number> => {
  const [row] = await database.run<{ readonly n: number }>(
    `select count(*)::int as n from pg_stat_activity
       where application_name = 'worker' and datname = current_database()`,
  );
  return row?.n ?? 0;
};

const mostOf = (values: readonly number[]): number =>
  values.reduce((most, value) => Math.max(most, value), 0);

test('D7: parked sessions cost their workers nothing, and go on after 30 days on workers that were not there then', {
  timeout: 3_600_000,
}, async () => {
  const fleet = await startFleet();
  const client = durableClient(fleet.url);
  onTestFinished(() => client.close());
  const start = () => fleet.start('approval.ts', { DB: `${fleet.url}&application_name=worker` });
  const first = await Promise.all([start(), start()]);
  const ids = Array.from({ length: form.parked }, (_, at) => `session-${at}`);
  const park = async (some: readonly string[], all: number) => {
    for (const id of some) await client.send(id, 'Go.');
    await eventually(async () => (await parkedOf(fleet)) === all, {
      limitMs: 3_000_000,
      describe: async () => [await parkedOf(fleet), first[0]?.stderr()],
    });
    return Promise.all(first.map(heapOf));
  };
  // What the first tenth leaves behind is code and its caches.
  const few = ids.slice(0, Math.ceil(ids.length / 10));
  const withFew = await park(few, few.length);
  const withAll = await park(ids.slice(few.length), ids.length);
  expect(withAll.map(({ busy }) => busy)).toEqual([0, 0]);
  const connections = await connectionsOf(fleet);
  expect(connections).toBeLessThanOrEqual(16);
  for (const one of first) one.signal('SIGTERM');
  expect(await Promise.all(first.map(({ exited }) => exited))).toEqual([0, 0]);
  expect(await connectionsOf(fleet)).toBe(0);
  // 30 days go by: nothing of a parked session depends on a process or a timer.
  await fleet.database.run(`update turnwright.sessions set
    created_at = created_at - interval '30 days', updated_at = updated_at - interval '30 days'`);
  await fleet.database.run(`update turnwright.asks set asked_at = asked_at - interval '30 days'`);

  const second = await Promise.all([start(), start()]);
  const sentMs = new Map<string, number>();
  const answer = async (id: string) => {
    const [question] = (await client.status(id))?.questions ?? [];
    expect(question).toMatchObject({ toolName: 'Effect', toolUseId: `${id}.1.unsafe` });
    sentMs.set(id, Date.now());
    await client.answer(id, question?.askId ?? '', { behavior: 'allow' });
  };
  const resumed = async (some: readonly string[]) => {
    for (const id of some)
      await eventually(async () => (await client.status(id))?.state === 'idle', {
        describe: async () => [await client.status(id), second.map((one) => one.stderr())],
      });
    const started = fleet
      .ledger()
      .filter(({ what, sessionId }) => what === 'start' && some.includes(sessionId));
    expect(started.map(({ sessionId }) => sessionId).toSorted()).toEqual(some.toSorted());
    return started.map(({ sessionId, ms }) => ms - (sentMs.get(sessionId) ?? 0));
  };
  const spread = Math.floor(ids.length / form.oneByOne);
  const oneByOne = ids.filter((_, at) => at % spread === 0).slice(0, form.oneByOne);
  for (const id of oneByOne) {
    await answer(id);
    await sleep(form.everyMs);
  }
  const oneByOneMs = await resumed(oneByOne);
  const atOnce = ids.filter((id) => !sentMs.has(id)).slice(-form.atOnce);
  await Promise.all(atOnce.map(answer));
  const atOnceMs = await resumed(atOnce);
  const grownBytes = withAll.map(({ heap }, at) => heap - (withFew[at]?.heap ?? 0));
  report({
    test: 'D7',
    parked: ids.length,
    connections,
    heapBytesPerParked: grownBytes.map((bytes) => Math.round(bytes / (ids.length - few.length))),
    oneByOneP50: percentile(oneByOneMs, 0.5),
    oneByOneP95: percentile(oneByOneMs, 0.95),
    atOnce: atOnce.length,
    atOnceP50: percentile(atOnceMs, 0.5),
    atOnceP95: percentile(atOnceMs, 0.95),
  });
  if (!form.judged) return;
  expect(mostOf(grownBytes) / (ids.length - few.length)).toBeLessThan(MOST_HEAP_BYTES);
  expect(percentile(oneByOneMs, 0.95)).toBeLessThan(1_000);
  expect(percentile(atOnceMs, 0.95)).toBeLessThan(1_000);
});
