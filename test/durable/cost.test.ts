/** What a step costs in Postgres, next to session files in one process (D8). */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openDispatch } from '../../src/durable/dbos.ts';
import { inForm } from '../long-form.ts';
import { type Cluster, newDatabase, startCluster } from './cluster.ts';
import { eventually, type Fleet, startFleet } from './processes.ts';
import { sendAll } from './sending.ts';

const form = inForm(
  { sessions: 20, rounds: 10, alone: 20, judged: false },
  { sessions: 200, rounds: 20, alone: 100, judged: true },
);
/** A model call and two tools. */
const STEPS_OF_A_ROUND = 3;

/** ms that processes have computed, their ended children included. */
function cpuMs(pids: readonly number[]): number {
  const TICK_MS = 10;
  const ticks = pids.map((pid) => {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
    return [11, 12, 13, 14].reduce((sum, at) => sum + Number(fields[at]), 0);
  });
  return ticks.reduce((sum, each) => sum + each, 0) * TICK_MS;
}

/** The server and its present children. */
function serverPids({ dataFolder }: Cluster): readonly number[] {
  const main = Number(readFileSync(join(dataFolder, 'postmaster.pid'), 'utf8').split('\n')[0]);
  const children = readdirSync('/proc').filter((name) => {
    if (!/^\d+$/.test(name)) return false;
    try {
      return readFileSync(`/proc/${name}/stat`, 'utf8').split(') ')[1]?.split(' ')[1] === String(main);
    } catch {
      return false;
    }
  });
  return [main, ...children.map(Number)];
}

interface Cost {
  readonly wallMs: number;
  readonly workerCpuMs: number;
  readonly serverCpuMs: number;
}

/** Sends a prompt to each of so many sessions, and waits until all are done. */
async function run(fleet: Fleet, cluster: Cluster, scenario: object, sessions: number, workers: number) {
  const dispatch = await openDispatch(fleet.database);
  onTestFinished(() => dispatch.close());
  const env = { SCENARIO: JSON.stringify(scenario), DRAIN_MS: '1000' };
  const started = await Promise.all(Array.from({ length: workers }, () => fleet.start('steps.ts', env)));
  const pids = started.map(({ child }) => child.pid as number);
  const unfinished = async () => {
    const [row] = await fleet.database.run<{ readonly n: number }>(
      "select count(*)::int as n from turnwright.sessions where state <> 'idle'",
    );
    return row?.n ?? 0;
  };
  const before = { ms: performance.now(), worker: cpuMs(pids), server: cpuMs(serverPids(cluster)) };
  await sendAll(
    fleet.database,
    dispatch,
    Array.from({ length: sessions }, () => crypto.randomUUID()),
  );
  await eventually(async () => (await unfinished()) === 0, {
    limitMs: 240_000,
    describe: async () => [await unfinished(), started.map(({ stderr }) => stderr())],
  });
  const cost: Cost = {
    wallMs: performance.now() - before.ms,
    workerCpuMs: cpuMs(pids) - before.worker,
    serverCpuMs: cpuMs(serverPids(cluster)) - before.server,
  };
  for (const worker of started) worker.signal('SIGTERM');
  await Promise.all(started.map(({ exited }) => exited));
  return cost;
}

async function inFiles(fleet: Fleet, scenario: object, sessions: number) {
  const { id } = await fleet.start('steps.ts', {
    SCENARIO: JSON.stringify(scenario),
    SESSIONS: String(sessions),
  });
  return JSON.parse(id) as { readonly wallMs: number; readonly cpuMs: number };
}

const rounded = (figures: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, Math.round(value * 100) / 100]));

test('D8: what a step costs, of one session and of many at once', { timeout: 600_000 }, async () => {
  const cluster = startCluster();
  onTestFinished(cluster.stop);
  const fleet = await startFleet(newDatabase(cluster.socketFolder));

  const alone = { rounds: form.alone, modelMs: 0, toolMs: 0 };
  const stepsAlone = form.alone * STEPS_OF_A_ROUND;
  const first = await inFiles(fleet, alone, 1);
  const single = await run(fleet, cluster, alone, 1, 1);

  const many = { rounds: form.rounds, modelMs: 50, toolMs: 20 };
  const steps = form.sessions * form.rounds * STEPS_OF_A_ROUND;
  const files = await inFiles(fleet, many, form.sessions);
  const all = await run(fleet, cluster, many, form.sessions, 2);

  const figures = rounded({
    addedMsPerStepAlone: (single.wallMs - first.wallMs) / stepsAlone,
    stepsPerSecond: (steps / all.wallMs) * 1000,
    cpuMsPerStep: (all.workerCpuMs + all.serverCpuMs) / steps,
    workerCpuMsPerStep: all.workerCpuMs / steps,
    serverCpuMsPerStep: all.serverCpuMs / steps,
    filesCpuMsPerStep: files.cpuMs / steps,
    filesStepsPerSecond: (steps / files.wallMs) * 1000,
  });
  console.info(JSON.stringify({ test: 'D8', steps, ...figures }));
  if (!form.judged) return;
  expect(figures['cpuMsPerStep']).toBeLessThanOrEqual(1);
  expect(figures['addedMsPerStepAlone']).toBeLessThanOrEqual(3);
  expect(figures['stepsPerSecond']).toBeGreaterThanOrEqual(1_500);
});
