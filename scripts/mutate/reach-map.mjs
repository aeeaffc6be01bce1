/**
 * Which test files reach which mutants, and how long they take: measured with every mutant inactive, kept in the user's
 * cache folder, and measured again for test files that changed. When a source changes, its mutants are recognised by their
 * line and change; one that is new counts as reached by every test file that reached something of that source.
 */
import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { openLanes } from './lanes.mjs';

/** What is mutated. */
export const SOURCES = [
  'packages/engine/src/loop',
  'packages/engine/src/session/journal',
  'packages/engine/src/tools/gate',
  'packages/engine/src/permissions',
];
/**
 * Whose tests may notice: those of these rooms, and those that run the whole loop in their own process. Others would cost
 * most of the time, and reach little: a command line, for example, is a process of its own.
 */
const TESTS = ['permissions', 'loop', 'tools', 'session', 'view', 'context', 'engine', 'scenarios'];
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
  const cacheFolder = process.env.XDG_CACHE_HOME || join(homedir(), '.cache');
  const cacheFile = join(cacheFolder, 'turnwright-mutate', 'reach.json');
  const hashOf = (file) => hash(readFileSync(join(root, file)));
  const measuredWith = hash(readFileSync(new URL('mutants.mjs', import.meta.url)) + sources.join('\n'));
  const sourceHashes = Object.fromEntries(sources.map((file) => [file, hashOf(file)]));
  const byFile = new Map(sources.map((source) => [source, mutants.filter(({ file }) => file === source)]));
  /** Of each measured version of a source: the names of its mutants in order. */
  const names = {};
  for (const [file, own] of byFile) names[sourceHashes[file]] = own.map(nameOf);
  const tests = TESTS.flatMap((folder) => [
    ...testsIn(root, `packages/engine/test/${folder}`),
    ...testsIn(root, `test/${folder}`),
  ]);
  const earlier = readCache(cacheFile, measuredWith);
  const known = new Map();
  for (const test of tests) {
    const entry = earlier.tests[test];
    if (entry?.hash === hashOf(test)) known.set(test, entry);
  }
  const missing = tests.filter((test) => !known.has(test));
  mkdirSync(dirname(cacheFile), { recursive: true });
  if (missing.length > 0) await measure(missing);
  const reachedBy = new Map([...known].map(([test, entry]) => [test, idsOf(entry)]));
  return { of: testsOf };

  function keep() {
    const content = { measuredWith, tests: { ...earlier.tests, ...Object.fromEntries(known) }, names: {} };
    for (const { reached } of Object.values(content.tests))
      for (const { of } of Object.values(reached)) content.names[of] = names[of] ?? earlier.names[of];
    // Another run may read it meanwhile.
    writeFileSync(`${cacheFile}.${process.pid}`, JSON.stringify(content));
    renameSync(`${cacheFile}.${process.pid}`, cacheFile);
  }

  /** The mutants that a test file reaches, by their ids of today. */
  function idsOf({ reached }) {
    const ids = new Set();
    for (const [file, { of, at }] of Object.entries(reached)) {
      const then = names[of] ?? earlier.names[of];
      const seen = new Set(at.map((n) => then[n]));
      const all = new Set(then);
      for (const mutant of byFile.get(file) ?? []) {
        const name = nameOf(mutant);
        if (seen.has(name) || !all.has(name)) ids.add(mutant.id);
      }
    }
    return ids;
  }

  async function measure(files) {
    console.log(`Measuring what ${files.length} test files reach ...`);
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
      const reached = {};
      for (const id of ids) {
        const source = fileOf.get(id);
        reached[source] ??= { of: sourceHashes[source], at: [] };
        reached[source].at.push(id - byFile.get(source)[0].id);
      }
      return { hash: hashOf(file), ms, reached };
    }
  }

  /** In the order in which they are tried. */
  function testsOf({ id, file }) {
    const room = `${file.split('/').slice(0, 4).join('/').replace('/src/', '/test/')}/`;
    return [...known]
      .filter(([test, { ms }]) => ms <= MOST_FILE_MS && reachedBy.get(test).has(id))
      .map(([test, { ms }]) => ({ file: test, ms }))
      .sort((a, b) => b.file.startsWith(room) - a.file.startsWith(room) || a.ms - b.ms);
  }
}

const nameOf = ({ text, change }) => hash(`${text}\n${change}`).slice(0, 8);

function testsIn(root, folder) {
  try {
    return filesBelow(root, folder, '.test.ts');
  } catch {
    return [];
  }
}

function readCache(file, measuredWith) {
  try {
    const content = JSON.parse(readFileSync(file, 'utf8'));
    if (content.measuredWith === measuredWith) return content;
  } catch {}
  return { tests: {}, names: {} };
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
