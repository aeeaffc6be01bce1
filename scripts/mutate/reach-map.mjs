/**
 * Which test files reach which mutants, and how long they take: measured once with every mutant inactive, and again for
 * test files that changed, or that reach a source that changed.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { openLanes } from './lanes.mjs';

/** What is mutated. */
export const SOURCES = ['src/loop', 'src/session/journal', 'src/tools/gate', 'src/permissions'];
/** Whose tests may notice: those that run the program in their own process. */
const TESTS = [
  ...[
    'attachments',
    'cli',
    'commands',
    'context',
    'conversation',
    'engine',
    'hooks',
    'loop',
    'mcp',
    'memory',
  ],
  ...[
    'model',
    'options',
    'page',
    'permissions',
    'plugins',
    'properties',
    'rehearsal',
    'sandbox',
    'scenarios',
  ],
  ...[
    'sdk',
    'session',
    'settings',
    'shell',
    'skills',
    'subagents',
    'tasks',
    'testing',
    'tools',
    'view',
    'web',
  ],
];
/** Slower files are left out. */
const MOST_FILE_MS = 20_000;
const FILES_AT_ONCE = 8;

export const filesBelow = (root, folder, end) =>
  readdirSync(join(root, folder), { recursive: true })
    .map((file) => `${folder}/${file.replaceAll('\\', '/')}`)
    .filter((file) => file.endsWith(end))
    .sort();

const hash = (text) => createHash('sha256').update(text).digest('base64url').slice(0, 16);

export async function reachMap(root, sources, mutants, laneCount) {
  const cacheFile = join(root, 'node_modules/.cache/turnwright-mutate/reach.json');
  const hashOf = (file) => hash(readFileSync(join(root, file)));
  // Mutants are known by their number in a file.
  const mutator = hash(readFileSync(new URL('mutants.mjs', import.meta.url)));
  const sourceHashes = Object.fromEntries(sources.map((file) => [file, hashOf(file)]));
  const tests = TESTS.flatMap((folder) => testsIn(root, `test/${folder}`));
  const earlier = readCache(cacheFile);
  const known = new Map();
  for (const test of tests) {
    const entry = earlier[test];
    const isFresh =
      entry?.mutator === mutator &&
      entry.hash === hashOf(test) &&
      Object.entries(entry.reached).every(([file, { of }]) => of === sourceHashes[file]);
    if (isFresh) known.set(test, entry);
  }
  const missing = tests.filter((test) => !known.has(test));
  mkdirSync(dirname(cacheFile), { recursive: true });
  if (missing.length > 0) await measure(missing);
  return { of: testsOf };

  function keep() {
    writeFileSync(cacheFile, JSON.stringify(Object.fromEntries(known)));
  }

  async function measure(files) {
    console.log(`Measuring what ${files.length} test files reach ...`);
    const first = new Map();
    for (const { file, id } of mutants) if (!first.has(file)) first.set(file, id);
    const fileOf = new Map(mutants.map(({ id, file }) => [id, file]));
    const queue = [...files];
    const lanes = await openLanes(laneCount, { sources, bail: 0 });
    await Promise.all(
      lanes.map(async (lane, n) => {
        const reached = join(tmpdir(), `turnwright-reached-${process.pid}-${n}.jsonl`);
        for (
          let batch = queue.splice(0, FILES_AT_ONCE);
          batch.length > 0;
          batch = queue.splice(0, FILES_AT_ONCE)
        ) {
          rmSync(reached, { force: true });
          const failed = await lane.run({ files: batch, reached }, 400_000);
          const lines = readLines(reached);
          for (const file of batch) {
            const line = lines.find((found) => found.file === join(root, file));
            const isFailed = failed.some((name) => name === file || name.startsWith(`${file} `));
            // A file whose tests are all left out on this machine reports nothing, and reaches nothing.
            const reported = failed.length === 0 ? (line ?? { ms: 0, reached: [] }) : line;
            if (isFailed || reported === undefined) console.log(`not used, as it fails here: ${file}`);
            else known.set(file, entryOf(file, reported));
          }
          keep();
        }
        rmSync(reached, { force: true });
        lane.close();
      }),
    );

    function entryOf(file, { ms, reached: ids }) {
      const byFile = {};
      for (const id of ids) {
        const source = fileOf.get(id);
        byFile[source] ??= { of: sourceHashes[source], ids: [] };
        byFile[source].ids.push(id - first.get(source));
      }
      return { mutator, hash: hashOf(file), ms, reached: byFile };
    }
  }

  /** In the order in which they are tried. */
  function testsOf({ id, file }) {
    const firstId = mutants.find((mutant) => mutant.file === file).id;
    const room = `test/${file.split('/')[1]}/`;
    return [...known]
      .filter(([, { ms, reached }]) => ms <= MOST_FILE_MS && reached[file]?.ids.includes(id - firstId))
      .map(([test, { ms }]) => ({ file: test, ms }))
      .sort((a, b) => b.file.startsWith(room) - a.file.startsWith(room) || a.ms - b.ms);
  }
}

function testsIn(root, folder) {
  try {
    return filesBelow(root, folder, '.test.ts');
  } catch {
    return [];
  }
}

function readCache(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch {
    return {};
  }
}

function readLines(file) {
  try {
    return readFileSync(file, 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
  } catch {
    return [];
  }
}
