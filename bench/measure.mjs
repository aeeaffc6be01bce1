// Runs one workload with one runner: the simulator and the runner each in a process of its own.
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HISTORY_EXCHANGES, promptText } from './history.mjs';
import { now } from './now.mjs';
import { verify } from './workloads.mjs';

const here = (file) => fileURLToPath(new URL(file, import.meta.url));

/** Of about 200 MB each. */
const MOST_PROCESSES = 20;

async function withSimulator(plan, work) {
  const simulator = fork(here('./simulator.mjs'), [JSON.stringify(plan)], { silent: true });
  simulator.stderr.pipe(process.stderr);
  try {
    const [first] = await once(simulator.stdout, 'data');
    return await work(`http://127.0.0.1:${String(first).trim()}`);
  } finally {
    if (simulator.connected) simulator.disconnect();
  }
}

/** Resolves with the figures of one verified run: [[name, unit, value], …]. Rejects when the work was not done. */
export async function measure(name, workload, runner, { prepared, timeoutMs = 90_000, nodeArgs = [] } = {}) {
  const { startsProcesses } = await import(`./runners/${runner}.mjs`);
  if (startsProcesses && workload.sessions > MOST_PROCESSES) {
    throw new Error(`${runner} would start ${workload.sessions} processes for ${name}.`);
  }
  return withSimulator(workload.plan, async (baseUrl) => {
    const fresh = prepared && mkdtempSync(join(tmpdir(), 'turnwright-bench-'));
    if (fresh) cpSync(prepared.folder, fresh, { recursive: true });
    const spec = {
      runner,
      baseUrl,
      tools: workload.tools,
      sessions: workload.sessions ?? 1,
      timed: workload.timed,
      withHistory: workload.withHistory,
      prepared: prepared && { ...prepared, folder: fresh },
    };
    try {
      const spawned = now();
      const child = spawn(process.execPath, [...nodeArgs, here('./one.mjs'), JSON.stringify(spec)], {
        stdio: ['ignore', 'pipe', 'pipe'],
        env: { ...process.env, NODE_ENV: 'production' },
        timeout: timeoutMs,
        killSignal: 'SIGKILL',
      });
      let out = '';
      let complaints = '';
      child.stdout.on('data', (chunk) => {
        out += chunk;
      });
      child.stderr.on('data', (chunk) => {
        complaints = (complaints + chunk).slice(-2000);
      });
      const [code, signal] = await once(child, 'close');
      if (code !== 0) {
        const why = signal ? `not done after ${timeoutMs / 1000} s` : `exit ${code}: ${complaints.trim()}`;
        throw new Error(`${runner} failed on ${name} (${why}).`);
      }
      const stats = await (await fetch(`${baseUrl}/stats`)).json();
      const run = { ...stats, ...JSON.parse(out.trim().split('\n').at(-1)), spawned };
      verify(name, workload, runner, run);
      return workload.figures(run);
    } finally {
      if (fresh) rmSync(fresh, { recursive: true, force: true });
    }
  });
}

/**
 * For runners that keep sessions: has the conversation of W2 through the runner's own door, in a folder that each run
 * gets a copy of. Undefined for runners that are given the history as messages.
 */
export async function prepareHistory(runner) {
  const { prepare } = await import(`./runners/${runner}.mjs`);
  if (prepare === undefined) return undefined;
  const folder = mkdtempSync(join(tmpdir(), 'turnwright-bench-history-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return withSimulator({ kind: 'talk' }, (baseUrl) =>
    prepare({ baseUrl, folder, exchanges: HISTORY_EXCHANGES, promptText }),
  );
}
