// Runs one workload with one runner: the simulator and the runner each in a process of its own.
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { HISTORY_EXCHANGES, history, promptText } from './history.mjs';
import { now } from './now.mjs';
import { processesOf } from './process-tree.mjs';
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
  const { processPerSession } = await import(`./runners/${runner}.mjs`);
  if (processPerSession && workload.sessions > MOST_PROCESSES) {
    throw new Error(`${runner} would start ${workload.sessions} processes for ${name}.`);
  }
  const fresh = prepared && mkdtempSync(join(tmpdir(), 'turnwright-bench-'));
  try {
    if (fresh) cpSync(prepared.folder, fresh, { recursive: true });
    const run = await runOnce(name, workload, runner, {
      prepared: prepared && { ...prepared, folder: fresh },
      timeoutMs,
      nodeArgs,
    });
    verify(name, workload, runner, run);
    return workload.figures(run);
  } finally {
    if (fresh) rmSync(fresh, { recursive: true, force: true });
  }
}

/** What a run saw and what the simulator saw of it. Rejects unless it ended by itself and in time. */
async function runOnce(name, workload, runner, { prepared, timeoutMs, nodeArgs }) {
  return withSimulator(workload.plan, async (baseUrl) => {
    const spec = {
      runner,
      baseUrl,
      tools: workload.tools,
      sessions: workload.sessions ?? 1,
      timed: workload.timed,
      withHistory: workload.withHistory,
      prepared,
    };
    // Node 20 parses all certificate authorities at its start where this variable is set, which takes longer than the start.
    const { NODE_EXTRA_CA_CERTS: _, ...env } = process.env;
    const spawned = now();
    const child = spawn(process.execPath, [...nodeArgs, here('./one.mjs'), JSON.stringify(spec)], {
      stdio: ['ignore', 'pipe', 'pipe'],
      env: { ...env, NODE_ENV: 'production' },
    });
    const tooLong = setTimeout(() => killTree(child.pid), timeoutMs);
    let out = '';
    let complaints = '';
    child.stdout.on('data', (chunk) => {
      out += chunk;
    });
    child.stderr.on('data', (chunk) => {
      complaints = (complaints + chunk).slice(-2000);
    });
    const [code, signal] = await once(child, 'close');
    clearTimeout(tooLong);
    if (code !== 0) {
      const why = signal ? `not done after ${timeoutMs / 1000} s` : `exit ${code}: ${complaints.trim()}`;
      throw new Error(`${runner} failed on ${name} (${why}).`);
    }
    const stats = await (await fetch(`${baseUrl}/stats`)).json();
    return { ...stats, ...JSON.parse(out.trim().split('\n').at(-1)), spawned };
  });
}

/** What a killed process started would go on without it. */
function killTree(pid) {
  for (const each of [...processesOf(pid), pid]) {
    try {
      process.kill(each, 'SIGKILL');
    } catch {
      // It is gone.
    }
  }
}

/** Of each runner that has one: resolves with its home, that has been used. */
const homes = new Map();

/**
 * What each run of a runner begins with a copy of: the conversation of W2, had through the runner's own door, or a home
 * that has been used once. Undefined for runners that need neither, and get the history as messages.
 */
export async function prepare(runner, workload) {
  const module = await import(`./runners/${runner}.mjs`);
  if (workload.withHistory && module.prepare !== undefined) {
    return withSimulator({ kind: 'talk' }, (baseUrl) =>
      module.prepare({
        baseUrl,
        folder: keptFolder(),
        exchanges: HISTORY_EXCHANGES,
        promptText,
        history: history(),
      }),
    );
  }
  if (!module.slowFirstStart) return undefined;
  if (!homes.has(runner)) homes.set(runner, usedHome(runner));
  return homes.get(runner);
}

async function usedHome(runner) {
  const prepared = { folder: keptFolder() };
  const workload = { plan: { kind: 'turns', turns: 1 }, tools: ['noop'] };
  await runOnce('its first start', workload, runner, { prepared, timeoutMs: 180_000, nodeArgs: [] });
  return prepared;
}

/** Until this process ends. */
function keptFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'turnwright-bench-prepared-'));
  process.on('exit', () => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
