import { setTimeout as sleep } from 'node:timers/promises';
import { forgotten, judge, resultsOf } from '@turnwright/test/durable/judge.ts';
import {
  eventually,
  type LedgerLine,
  report,
  startFleet,
  type WorkerProcess,
} from '@turnwright/test/durable/processes.ts';
import { inForm } from '@turnwright/test/long-form.ts';
import { percentile } from '@turnwright/test/percentile.ts';
import { seededRandom } from '@turnwright/testing';
import { expect, onTestFinished, test } from 'vitest';
import { durableClient } from '../src/index.ts';

const form = inForm(
  {
    seeds: [1],
    sessions: 40,
    workers: 3,
    kills: 4,
    everyMs: 2_000,
    rounds: 4,
    modelMs: 1_000,
    judged: false,
  },
  {
    seeds: [1, 2, 3],
    sessions: 200,
    workers: 3,
    kills: 10,
    everyMs: 2_000,
    rounds: 6,
    modelMs: 4_000,
    judged: true,
  },
);

interface Kill {
  readonly ms: number;
  readonly pid: number;
}

/** ms from each kill until another process went on with a session that the killed one had worked on. */
function recoveries(lines: readonly LedgerLine[], kills: readonly Kill[]): number[] {
  return kills.flatMap(({ ms, pid }) => {
    const sessions = new Set(lines.filter((line) => line.pid === pid).map(({ sessionId }) => sessionId));
    return [...sessions].flatMap((sessionId) => {
      const own = lines.filter((line) => line.sessionId === sessionId);
      const before = own.filter((line) => line.ms <= ms).at(-1);
      if (before?.pid !== pid) return [];
      const next = own.find((line) => line.ms > ms && line.pid !== pid);
      return next === undefined ? [] : [next.ms - ms];
    });
  });
}

test.each(form.seeds)(
  'D1: workers that are killed without warning lose nothing and repeat nothing (seed %i)',
  { timeout: 300_000 },
  async (seed) => {
    const fleet = await startFleet();
    const client = durableClient(fleet.url);
    onTestFinished(() => client.close());
    const random = seededRandom(seed);
    const { rounds, modelMs } = form;
    const start = () =>
      fleet.start('rounds.ts', { SCENARIO: JSON.stringify({ rounds, modelMs, toolMs: 50 }) });
    let workers: WorkerProcess[] = await Promise.all(Array.from({ length: form.workers }, start));
    const ids = Array.from({ length: form.sessions }, () => crypto.randomUUID());
    for (const id of ids) await client.send(id, 'Go.');
    const kills: Kill[] = [];
    for (let k = 0; k < form.kills; k += 1) {
      await sleep(form.everyMs);
      const victim = workers[Math.floor(random() * workers.length)] as WorkerProcess;
      kills.push({ ms: Date.now(), pid: victim.child.pid ?? 0 });
      victim.signal('SIGKILL');
      workers = [...workers.filter((one) => one !== victim), await start()];
    }
    const states = () =>
      fleet.database.run<{ readonly state: string; readonly n: number }>(
        'select state, count(*)::int as n from turnwright.sessions group by 1',
      );
    await eventually(async () => (await states()).every(({ state }) => state === 'idle'), {
      limitMs: 120_000,
      describe: async () => ({ states: await states(), stderr: workers.map((one) => one.stderr()) }),
    });
    const lines = fleet.ledger();
    const recovered = recoveries(lines, kills);
    const { restarted, ...wrong } = judge(lines);
    report({
      seed,
      kills: kills.length,
      restarted,
      recovered: recovered.length,
      p50: percentile(recovered, 0.5),
      p95: percentile(recovered, 0.95),
      max: percentile(recovered, 1),
    });
    expect(wrong).toEqual({ rerun: [], doubled: [], lost: [] });
    expect([...(await resultsOf(fleet)).values()]).toEqual(ids.map(() => 1));
    expect(await forgotten(fleet.database)).toEqual([]);
    if (!form.judged) return;
    expect(percentile(recovered, 0.95)).toBeLessThan(2_000);
    expect(percentile(recovered, 1)).toBeLessThan(5_000);
  },
);
