// npm run bench [-- --only W1,W6 --runners raw-http,turnwright --peers ai,pi | all --repeat 3
//                  --json out.json --svg out.svg --page docs/performance.md --short]
// All runners do the same work against the same simulator, taking turns within one run. A figure is the median of the
// repeats; a run that did not do all of the work has none. `--page` writes the figures into the page.
import { writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import { flagsOf } from './flags.mjs';
import { installFigures } from './install.mjs';
import { measure, prepare } from './measure.mjs';
import { installPeers, PEERS } from './peers.mjs';
import { renderPage, renderSvg, renderTable } from './render.mjs';
import { median, workloads } from './workloads.mjs';

const { values } = flagsOf({
  options: {
    only: { type: 'string' },
    runners: { type: 'string', default: 'raw-http,raw-fetch,turnwright' },
    peers: { type: 'string', default: '' },
    repeat: { type: 'string', default: '3' },
    json: { type: 'string' },
    svg: { type: 'string' },
    page: { type: 'string' },
    short: { type: 'boolean', default: false },
  },
});
const list = (text) => text.split(',').filter((name) => name !== '');
const peers = values.peers === 'all' ? Object.keys(PEERS) : list(values.peers);
const all = workloads(values.short);
const names = list(values.only ?? [...Object.keys(all), 'W8'].join());
for (const name of names) {
  if (name !== 'W8' && !Object.hasOwn(all, name))
    fail(`There is no workload "${name}": ${Object.keys(all)},W8.`);
}
for (const name of peers) {
  if (!Object.hasOwn(PEERS, name)) fail(`There is no peer "${name}": ${Object.keys(PEERS)}.`);
}

const { versions, leftOut } = peers.length > 0 ? installPeers(peers) : { versions: {}, leftOut: {} };
const runners = [...list(values.runners), ...peers.filter((name) => leftOut[name] === undefined)];
const loadBefore = loadavg()[0];
const report = {
  date: new Date().toISOString().slice(0, 10),
  node: process.version,
  machine: `${process.platform} ${process.arch}, ${availableParallelism()} cores`,
  repeat: Number(values.repeat),
  short: values.short,
  runners,
  versions,
  leftOut,
  workloads: {},
};

for (const name of names) {
  const rows = name === 'W8' ? await installFigures(runners) : await rowsOf(name, all[name]);
  report.workloads[name] = rows;
  console.log(renderTable(name, rows, runners));
  keep();
}

/** After each workload: a run that is cut short leaves what it has. */
function keep() {
  report.load = [loadBefore, loadavg()[0]];
  if (values.json) writeFileSync(values.json, `${JSON.stringify(report, null, 2)}\n`);
  if (values.svg) writeFileSync(values.svg, renderSvg(report));
  if (values.page) renderPage(values.page, report);
}

/** { title, figures: { name: { unit, values: { runner: number } } }, failed: { runner: why } } */
async function rowsOf(name, workload) {
  const runs = Object.fromEntries(runners.map((runner) => [runner, []]));
  const failed = {};
  const prepared = {};
  for (let i = 0; i < report.repeat; i++) {
    for (const runner of runners) {
      if (failed[runner] !== undefined) continue;
      try {
        prepared[runner] ??= await prepare(runner, workload);
        runs[runner].push(await measure(name, workload, runner, { prepared: prepared[runner] }));
      } catch (error) {
        failed[runner] = error.message;
        console.error(error.message);
      }
    }
  }
  const figures = {};
  for (const runner of runners) {
    if (failed[runner] !== undefined) continue;
    for (const [at, [figure, unit]] of runs[runner][0].entries()) {
      figures[figure] ??= { unit, values: {} };
      figures[figure].values[runner] = median(runs[runner].map((run) => run[at][2]));
    }
  }
  return { title: workload.title, figures, failed };
}

function fail(message) {
  console.error(message);
  process.exit(2);
}
