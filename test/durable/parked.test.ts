import { expect, onTestFinished, test } from 'vitest';
import { durableClient } from '../../src/durable/index.ts';
import { inForm } from '../long-form.ts';
import { percentile } from './percentile.ts';
import { eventually, report, startFleet, type WorkerProcess } from './processes.ts';

const form = inForm({ parked: 30, answered: 10 }, { parked: 10_000, answered: 200 });

async function heapOf(one: WorkerProcess): Promise<{ readonly heap: number; readonly busy: number }> {
  const before = one.stdout().length;
  one.signal('SIGUSR2');
  await eventually(() => /heap \d+ \d+\n/.test(one.stdout().slice(before)));
  const [, heap, busy] = /heap (\d+) (\d+)\n/.exec(one.stdout().slice(before)) ?? [];
  return { heap: Number(heap), busy: Number(busy) };
}

test('D7: parked sessions cost their workers nothing, and go on after 30 days on workers that were not there then', {
  timeout: 1_800_000,
}, async () => {
  const fleet = await startFleet();
  const client = durableClient(fleet.url);
  onTestFinished(() => client.close());
  const first = await Promise.all([fleet.start('approval.ts'), fleet.start('approval.ts')]);
  const ids = Array.from({ length: form.parked }, (_, at) => `session-${at}`);
  for (const id of ids) await client.send(id, 'Go.');
  const parked = async () => {
    const [row] = await fleet.database.run<{ readonly n: number }>(
      `select count(*)::int as n from turnwright.sessions where state = 'parked' and worker is null`,
    );
    return row?.n;
  };
  await eventually(async () => (await parked()) === ids.length, {
    limitMs: 1_200_000,
    describe: async () => [await parked(), first[0]?.stderr()],
  });
  const loaded = await Promise.all(first.map(heapOf));
  expect(loaded.map(({ busy }) => busy)).toEqual([0, 0]);
  for (const one of first) one.signal('SIGTERM');
  expect(await Promise.all(first.map(({ exited }) => exited))).toEqual([0, 0]);
  // 30 days go by: nothing of a parked session depends on a process or a timer.
  await fleet.database.run(`update turnwright.sessions set
    created_at = created_at - interval '30 days', updated_at = updated_at - interval '30 days'`);
  await fleet.database.run(`update turnwright.asks set asked_at = asked_at - interval '30 days'`);

  const second = await Promise.all([fleet.start('approval.ts'), fleet.start('approval.ts')]);
  const fresh = await Promise.all(second.map(heapOf));
  const sentMs = new Map<string, number>();
  for (const id of ids.slice(0, form.answered)) {
    const [question] = (await client.status(id))?.questions ?? [];
    expect(question).toMatchObject({ toolName: 'Effect', toolUseId: `${id}.1.unsafe` });
    sentMs.set(id, Date.now());
    await client.answer(id, question?.askId ?? '', { behavior: 'allow' });
  }
  for (const id of sentMs.keys())
    await eventually(async () => (await client.status(id))?.state === 'idle', {
      describe: async () => [await client.status(id), second.map((one) => one.stderr())],
    });
  const started = fleet.ledger().filter(({ what }) => what === 'start');
  expect(started.map(({ sessionId }) => sessionId).toSorted()).toEqual([...sentMs.keys()].toSorted());
  const resumedMs = started.map(({ sessionId, ms }) => ms - (sentMs.get(sessionId) ?? 0));
  report({
    parked: ids.length,
    heapWithParkedMb: loaded.map(({ heap }) => Math.round(heap / 1e6)),
    heapFreshMb: fresh.map(({ heap }) => Math.round(heap / 1e6)),
    resumeP50: percentile(resumedMs, 0.5),
    resumeP95: percentile(resumedMs, 0.95),
  });
});
