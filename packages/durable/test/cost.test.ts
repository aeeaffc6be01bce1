/** What a step costs in Postgres, next to session files in one process (D8). */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Cluster, newDatabase, startCluster } from '@turnwright/test/durable/cluster.ts';
import {
  eventually,
  type Fleet,
  startFleet,
  type WorkerProcess,
} from '@turnwright/test/durable/processes.ts';
import { inForm, isLong } from '@turnwright/test/long-form.ts';
import { expect, onTestFinished, test } from 'vitest';
import { dbosRunner } from '../src/dbos.ts';
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
  /** From the first prompt to the first record, and from there to the last record. */
  readonly startMs: number;
  readonly spanMs: number;
}

const startWorkers = (fleet: Fleet, scenario: object, workers: number): Promise<readonly WorkerProcess[]> =>
  Promise.all(
    Array.from({ length: workers }, () =>
      fleet.start('steps.ts', { SCENARIO: JSON.stringify(scenario), DRAIN_MS: '1000' }),
    ),
  );

async function end(workers: readonly WorkerProcess[]): Promise<void> {
  for (const worker of workers) worker.signal('SIGTERM');
  await Promise.all(workers.map(({ exited }) => exited));
}

/** Sends a prompt to each of so many sessions, and waits until all are done. */
async function run(fleet: Fleet, cluster: Cluster, started: readonly WorkerProcess[], sessions: number) {
  const dispatch = await dbosRunner.open(fleet.database);
  onTestFinished(() => dispatch.close());
  const pids = started.map(({ child }) => child.pid as number);
  const unfinished = async () => {
    const [row] = await fleet.database.run<{ readonly n: number }>(
      "select count(*)::int as n from turnwright.sessions where state <> 'idle'",
    );
    return row?.n ?? 0;
  };
  const ids = Array.from({ length: sessions }, () => crypto.randomUUID());
  const before = { ms: performance.now(), worker: cpuMs(pids), server: cpuMs(serverPids(cluster)) };
  const sentMs = Date.now();
  await sendAll(fleet.database, dispatch, ids);
  await eventually(async () => (await unfinished()) === 0, {
    limitMs: 240_000,
    describe: async () => [await unfinished(), started.map(({ stderr }) => stderr())],
  });
  const wallMs = performance.now() - before.ms;
  const workerCpuMs = cpuMs(pids) - before.worker;
  const serverCpuMs = cpuMs(serverPids(cluster)) - before.server;
  const [records] = await fleet.database.run<{ readonly first: number; readonly last: number }>(
    `select extract(epoch from min(at))::float8 * 1000 as first, extract(epoch from max(at))::float8 * 1000 as last
     from turnwright.journal where session_id = any($1)`,
    [ids],
  );
  const { first = 0, last = 0 } = records ?? {};
  const cost: Cost = { wallMs, workerCpuMs, serverCpuMs, startMs: first - sentMs, spanMs: last - first };
  return cost;
}

/** `warm`: the same was done in this process before. */
async function inFiles(fleet: Fleet, scenario: object, sessions: number, warm = false) {
  const { id } = await fleet.start('steps.ts', {
    SCENARIO: JSON.stringify(scenario),
    SESSIONS: String(sessions),
    ...(warm && { WARM: '1' }),
  });
  return JSON.parse(id) as { readonly wallMs: number; readonly cpuMs: number };
}

const rounded = (figures: Readonly<Record<string, number>>) =>
  Object.fromEntries(Object.entries(figures).map(([name, value]) => [name, Math.round(value * 100) / 100]));

// A figure that a release publishes.
test.runIf(isLong)(
  'D8: what a step costs, of one session and of many at once',
  { timeout: 600_000 },
  async () => {
    const cluster = startCluster();
    onTestFinished(cluster.stop);
    const fleet = await startFleet(newDatabase(cluster.socketFolder));

    const alone = { rounds: form.alone, modelMs: 0, toolMs: 0 };
    const stepsAlone = form.alone * STEPS_OF_A_ROUND;
    const first = await inFiles(fleet, alone, 1, true);
    const one = await startWorkers(fleet, alone, 1);
    const cold = await run(fleet, cluster, one, 1);
    const warm = await run(fleet, cluster, one, 1);
    await end(one);

    const many = { rounds: form.rounds, modelMs: 50, toolMs: 20 };
    const steps = form.sessions * form.rounds * STEPS_OF_A_ROUND;
    const files = await inFiles(fleet, many, form.sessions);
    const two = await startWorkers(fleet, many, 2);
    const all = await run(fleet, cluster, two, form.sessions);
    await end(two);

    const figures = rounded({
      addedMsPerStepAlone: (warm.spanMs - first.wallMs) / stepsAlone,
      filesMsPerStepAlone: first.wallMs / stepsAlone,
      startMsOfNewWorker: cold.startMs,
      startMs: warm.startMs,
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
  },
);
