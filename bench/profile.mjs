// npm run bench:profile -- W1 [--runner turnwright] [--rows 40] [--short] [--heap]
// One run under the profiler, and where its CPU time went (or, with --heap, what was allocated): self and total by
// function, at its place in the sources. Total of a recursive function counts each sample once.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { SourceMap } from 'node:module';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { flagsOf } from './flags.mjs';
import { measure, prepare } from './measure.mjs';
import { workloads } from './workloads.mjs';

const maps = new Map();
const root = fileURLToPath(new URL('..', import.meta.url));
const { values, positionals } = flagsOf({
  allowPositionals: true,
  options: {
    runner: { type: 'string', default: 'turnwright' },
    rows: { type: 'string', default: '40' },
    short: { type: 'boolean', default: false },
    heap: { type: 'boolean', default: false },
  },
});
const name = positionals[0] ?? 'W1';
const workload = workloads(values.short)[name];
if (workload === undefined) {
  console.error(`There is no workload "${name}": ${Object.keys(workloads())}.`);
  process.exit(2);
}

const folder = mkdtempSync(join(tmpdir(), 'turnwright-profile-'));
try {
  const prepared = await prepare(values.runner, workload);
  const nodeArgs = values.heap
    ? ['--heap-prof', `--heap-prof-dir=${folder}`, '--heap-prof-interval=32768']
    : ['--cpu-prof', `--cpu-prof-dir=${folder}`, '--cpu-prof-interval=200'];
  const figures = await measure(name, workload, values.runner, { prepared, nodeArgs });
  for (const [figure, unit, value] of figures) console.log(`${figure}: ${value.toFixed(3)} ${unit}`);
  for (const file of readdirSync(folder)) {
    const profile = JSON.parse(readFileSync(join(folder, file), 'utf8'));
    print(values.heap ? heapNodes(profile) : cpuNodes(profile), values.heap ? 'MB' : 'ms');
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

/** [{ frame, self, children }] with self in ms. */
function cpuNodes({ nodes, samples, timeDeltas }) {
  const byId = new Map(
    nodes.map((node) => [node.id, { frame: node.callFrame, self: 0, children: node.children ?? [] }]),
  );
  for (const [i, id] of samples.entries()) byId.get(id).self += timeDeltas[i] / 1000;
  return { root: byId.get(nodes[0].id), childrenOf: (node) => node.children.map((id) => byId.get(id)) };
}

/** As `cpuNodes`, with self in MB that were alive at a sample. */
function heapNodes({ head }) {
  const node = ({ callFrame, selfSize, children }) => ({
    frame: callFrame,
    self: selfSize / 2 ** 20,
    children,
  });
  return { root: node(head), childrenOf: ({ children }) => children.map(node) };
}

function print({ root: top, childrenOf }, unit) {
  const rows = new Map();
  const walk = (node, above) => {
    const place = placeOf(node.frame);
    const row = rows.get(place) ?? { self: 0, total: 0 };
    rows.set(place, row);
    row.self += node.self;
    const first = !above.has(place);
    if (first) above.add(place);
    let total = node.self;
    for (const child of childrenOf(node)) total += walk(child, above);
    if (first) {
      above.delete(place);
      row.total += total;
    }
    return total;
  };
  const all = walk(top, new Set());
  console.log(`\n${'self'.padStart(9)} ${'total'.padStart(9)}  ${unit} of ${all.toFixed(0)}`);
  const sorted = [...rows].sort(([, a], [, b]) => b.self - a.self).slice(0, Number(values.rows));
  for (const [place, { self, total }] of sorted) {
    console.log(`${self.toFixed(1).padStart(9)} ${total.toFixed(1).padStart(9)}  ${place}`);
  }
  const ours = [...rows]
    .filter(([place]) => place.includes(' packages/'))
    .sort(([, a], [, b]) => b.total - a.total);
  console.log('\nby total, our own functions');
  for (const [place, { self, total }] of ours.slice(0, Number(values.rows))) {
    console.log(`${self.toFixed(1).padStart(9)} ${total.toFixed(1).padStart(9)}  ${place}`);
  }
}

/** `function packages/engine/src/room/file.ts:12`, through the source map where there is one. */
function placeOf({ functionName, url, lineNumber, columnNumber }) {
  const label = functionName || '(anonymous)';
  if (url === '') return label;
  if (!url.startsWith('file://')) return `${label} ${url}:${lineNumber + 1}`;
  const file = fileURLToPath(url);
  if (!maps.has(file)) maps.set(file, mapOf(file));
  const entry = maps.get(file)?.findEntry(lineNumber, columnNumber);
  if (entry?.originalSource === undefined) return `${label} ${relative(root, file)}:${lineNumber + 1}`;
  const source = entry.originalSource.replace(/^(\.\.\/)+/, '');
  return `${label} ${source}:${entry.originalLine + 1}`;
}

function mapOf(file) {
  try {
    return new SourceMap(JSON.parse(readFileSync(`${file}.map`, 'utf8')));
  } catch {
    return undefined;
  }
}
