// npm run bench [-- --only W1,W3 --runners raw-http,turnwright --repeat 3 --json out.json]
// Each figure is the median of the repeats; each run is verified to have done the work.
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { cpus } from 'node:os';
import { parseArgs } from 'node:util';

const here = (file) => new URL(file, import.meta.url).pathname;
const { values } = parseArgs({
  options: {
    only: { type: 'string', default: 'W1,W3' },
    runners: { type: 'string', default: 'raw-http,raw-fetch,turnwright' },
    repeat: { type: 'string', default: '3' },
    iterations: { type: 'string', default: '200' },
    json: { type: 'string' },
  },
});
const iterations = Number(values.iterations);
const median = (numbers) => [...numbers].sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
const percentile = (numbers, p) =>
  [...numbers].sort((a, b) => a - b)[Math.min(numbers.length - 1, Math.floor(numbers.length * p))] ??
  Number.NaN;

async function once1(workload, runner) {
  const simulator = fork(here('./simulator.mjs'), [workload, String(iterations)], { silent: true });
  const [first] = await once(simulator.stdout, 'data');
  const baseUrl = `http://127.0.0.1:${String(first).trim()}`;
  const child = spawn(process.execPath, [here('./one.mjs'), runner, workload, baseUrl], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { ...process.env, NODE_ENV: 'production' },
  });
  let out = '';
  child.stdout.on('data', (chunk) => {
    out += chunk;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`${runner} failed on ${workload} (exit ${code}).`);
  const stats = await (await fetch(`${baseUrl}/stats`)).json();
  simulator.disconnect();
  const result = JSON.parse(out.trim().split('\n').at(-1));
  const calls = workload === 'W3' ? 6 : iterations;
  if (result.text !== 'Done.' || stats.results !== calls) {
    throw new Error(
      `${runner} did not do the work of ${workload}: text ${JSON.stringify(result.text)}, ${stats.results} of ${calls} results.`,
    );
  }
  return { ...result, ...stats };
}

const figures = {
  W1: (r) => ({
    'overhead/turn p50 ms': percentile(r.gaps, 0.5),
    'p95 ms': percentile(r.gaps, 0.95),
    'CPU/turn ms': r.cpuMs / iterations,
    'RSS MB': r.rssMb,
  }),
  W3: (r) => ({
    'makespan/ideal': (r.ended - r.first) / (6 * 300 + 1000),
    'start lag p50 ms': percentile(
      r.starts.map((at, i) => at - r.blocks[i]),
      0.5,
    ),
    'CPU ms': r.cpuMs,
  }),
};

const report = {
  node: process.version,
  cpus: cpus().length,
  iterations,
  repeat: Number(values.repeat),
  workloads: {},
};
for (const workload of values.only.split(',')) {
  const rows = {};
  for (const runner of values.runners.split(',')) {
    const runs = [];
    for (let i = 0; i < report.repeat; i++) runs.push(figures[workload](await once1(workload, runner)));
    rows[runner] = Object.fromEntries(
      Object.keys(runs[0]).map((name) => [name, median(runs.map((run) => run[name]))]),
    );
  }
  report.workloads[workload] = rows;
  const floor = rows['raw-http'];
  console.log(`\n${workload} (node ${report.node}, ${report.cpus} cores, median of ${report.repeat})`);
  const names = Object.keys(Object.values(rows)[0]);
  console.log(['runner'.padEnd(12), ...names.map((name) => name.padStart(22))].join(' '));
  for (const [runner, row] of Object.entries(rows)) {
    const cells = names.map((name) => {
      const ratio = floor && runner !== 'raw-http' ? ` (x${(row[name] / floor[name]).toFixed(2)})` : '';
      return `${row[name].toFixed(3)}${ratio}`.padStart(22);
    });
    console.log([runner.padEnd(12), ...cells].join(' '));
  }
}
if (values.json) writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`);
