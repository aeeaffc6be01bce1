/**
 * What the model of many machines (`npm run bench:scale`) is fed with, measured on three real workers. In the long form
 * the model must also predict how long they take; the few sessions of the short form are too few to measure costs with.
 * The figures are printed, to be kept in bench/scale/costs.json.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { join } from 'node:path';
import {
  eventually,
  type Fleet,
  startFleet,
  type WorkerProcess,
} from '@turnwright/test/durable/processes.ts';
import { inForm, isLong } from '@turnwright/test/long-form.ts';
import { expect, onTestFinished, test } from 'vitest';
import { dbosRunner } from '../src/dbos.ts';
import type { Database } from '../src/index.ts';
import { sendAll } from './sending.ts';

const form = inForm(
  { sessions: 20, few: 1, many: 5, longestRatio: Number.POSITIVE_INFINITY },
  { sessions: 200, few: 1, many: 19, longestRatio: 1.4 },
);
const MODEL_MS = 50;
const TOOL_MS = 20;
const NOTIFIERS = 8;

interface Figures {
  readonly finished: number;
  readonly elapsedMs: number;
}
const script = <T>(name: string): Promise<T> =>
  import(new URL(`../../../bench/scale/${name}.mjs`, import.meta.url).href) as Promise<T>;
const { simulateCell } = await script<{ simulateCell(options: object): Figures }>('cell');

/** ms of CPU of a process and of the children that it has waited for; of one that has ended, its parent knows. */
function cpuMs(pid: number): number {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ') ?? [];
    return fields.slice(11, 15).reduce((sum, ticks) => sum + Number(ticks) * 10, 0);
  } catch {
    return 0;
  }
}

/** Of the server with all of its processes. */
function serverCpuMs(): number {
  const folder = join(process.env['TURNWRIGHT_TEST_CLUSTER'] ?? '', 'data/postmaster.pid');
  const server = Number(readFileSync(folder, 'utf8').split('\n')[0]);
  const children = readdirSync('/proc')
    .map(Number)
    .filter((pid) => pid > 0 && parentOf(pid) === server);
  return [server, ...children].reduce((sum, pid) => sum + cpuMs(pid), 0);
}

function parentOf(pid: number): number | undefined {
  try {
    return Number(readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)?.split(' ')[1]);
  } catch {
    return undefined; // it has ended
  }
}

interface Measured {
  readonly elapsedMs: number;
  readonly workerMs: number;
  readonly postgresMs: number;
  readonly walBytes: number;
}

async function walAt(database: Database): Promise<number> {
  const [row] = await database.run<{ readonly bytes: string }>(
    "select pg_current_wal_lsn() - '0/0'::pg_lsn as bytes",
  );
  return Number(row?.bytes);
}

/** All sessions at once, on three workers, until each has its result. */
async function measured(fleet: Fleet, rounds: number): Promise<Measured> {
  const dispatch = await dbosRunner.open(fleet.database);
  onTestFinished(() => dispatch.close());
  const scenario = JSON.stringify({ rounds, modelMs: MODEL_MS, toolMs: TOOL_MS });
  const workers: WorkerProcess[] = await Promise.all(
    [1, 2, 3].map(() => fleet.start('rounds.ts', { SCENARIO: scenario })),
  );
  const used = () => workers.reduce((sum, { child }) => sum + cpuMs(child.pid ?? 0), 0);
  const before = { worker: used(), postgres: serverCpuMs(), wal: await walAt(fleet.database) };
  const startedMs = performance.now();
  const ids = Array.from({ length: form.sessions }, () => crypto.randomUUID());
  await sendAll(fleet.database, dispatch, ids);
  const left = async () => {
    const [row] = await fleet.database.run<{ readonly n: number }>(
      "select count(*)::int as n from turnwright.sessions where state <> 'idle'",
    );
    return row?.n ?? 0;
  };
  await eventually(async () => (await left()) === 0, { limitMs: 280_000, describe: left });
  const elapsedMs = performance.now() - startedMs;
  const figures = {
    elapsedMs,
    workerMs: used() - before.worker,
    postgresMs: serverCpuMs() - before.postgres,
    walBytes: (await walAt(fleet.database)) - before.wal,
  };
  for (const { child } of workers) child.kill('SIGKILL');
  await Promise.all(workers.map(({ exited }) => exited));
  return figures;
}

/** Commits with a notification, one after the other in each of several connections: all wait for one lock. */
async function notifyMs(database: Database): Promise<{ readonly lockMs: number; readonly cpuMs: number }> {
  const endMs = performance.now() + 2_000;
  const before = serverCpuMs();
  let commits = 0;
  await Promise.all(
    Array.from({ length: NOTIFIERS }, async () => {
      while (performance.now() < endMs) {
        await database.run("select pg_notify('turnwright', 'journal s1')");
        commits++;
      }
    }),
  );
  return { lockMs: 2_000 / commits, cpuMs: (serverCpuMs() - before) / commits };
}

// A figure that a release publishes.
test.runIf(isLong && process.platform === 'linux')(
  'three workers finish every session, and the model of a cell finishes as many in about that time',
  async () => {
    const fleet = await startFleet();
    const few = await measured(fleet, form.few);
    const many = await measured(fleet, form.many);
    const further = form.sessions * (form.many - form.few);
    const perIteration = (of: 'workerMs' | 'postgresMs' | 'walBytes') => (many[of] - few[of]) / further;
    const iterationsOfFew = form.few + 1;
    const perRun = (of: 'workerMs' | 'postgresMs') =>
      Math.max(0, few[of] / form.sessions - iterationsOfFew * perIteration(of));
    const notify = await notifyMs(fleet.database);
    const costs = {
      postgresMsPerRun: perRun('postgresMs'),
      postgresMsPerIteration: perIteration('postgresMs'),
      postgresMsPerDeltaBatch: 2 * notify.cpuMs,
      workerMsPerIteration: perIteration('workerMs'),
      workerMsPerDeltaBatch: 0.1,
      notifyLockMs: notify.lockMs,
      commitMs: 1,
      commitsPerIteration: 3,
      walBytesPerIteration: perIteration('walBytes'),
      pollMs: 100,
    };
    const simulated = simulateCell({
      cell: { sharedCores: cpus().length },
      load: {
        sessions: form.sessions,
        iterations: form.many + 1,
        modelMs: MODEL_MS,
        toolsMs: 2 * TOOL_MS,
        deltaBatches: 0,
        followed: 0,
      },
      // On one machine a worker's start of a run is work of the same cores.
      costs: { ...costs, postgresMsPerRun: costs.postgresMsPerRun + perRun('workerMs') },
      seconds: 600,
    });
    const ratio = simulated.elapsedMs / many.elapsedMs;
    console.info(JSON.stringify({ few, many, costs, simulatedMs: simulated.elapsedMs, ratio }));
    expect(simulated.finished).toBe(form.sessions);
    expect(ratio).toBeLessThan(form.longestRatio);
  },
  300_000,
);
