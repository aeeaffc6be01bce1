#!/usr/bin/env node
/**
 * `npm run mutate`: breaks the loop, the journal, the gate and the permissions in small ways, one at a time, and counts how
 * often a test notices. Each mutant meets only the tests that reach it: those of its own room first, then the fastest.
 *
 *   npm run mutate                                  400 mutants of a fresh seed
 *   npm run mutate -- --most 40 --seed 7            fewer, and those of this seed again
 *   npm run mutate -- --files packages/engine/src/loop/rules        only these files or folders
 *   npm run mutate -- --ids 12,40                   these mutants
 *   npm run mutate -- --tests packages/engine/test/loop             with the tests below this folder alone, without a map of what they reach
 *   npm run mutate -- --minutes 8                   as many as fit, the map included
 *   npm run mutate -- --json report.json            the outcome for programs
 *
 * Exit code 1: fewer than 85 % were killed, or an entry of equivalent.json matches no mutant.
 */
import { randomInt } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { flagsOf } from '../../bench/flags.mjs';
import { equivalents } from './equivalents.mjs';
import { openLanes } from './lanes.mjs';
import { allMutants } from './mutants.mjs';
import { filesBelow, reachMap, SOURCES } from './reach-map.mjs';

const LEAST_PERCENT = 85;
/** Test time that one mutant may take, by the times of the unchanged program; the rest is not tried. */
const MOST_TEST_MS = 90_000;
/** The first batch of tests; most mutants do not survive it. */
const FIRST_TEST_MS = 4_000;

const root = fileURLToPath(new URL('../../', import.meta.url));
const { values: flags } = flagsOf({
  options: {
    most: { type: 'string', default: '400' },
    seed: { type: 'string' },
    files: { type: 'string', multiple: true },
    tests: { type: 'string' },
    ids: { type: 'string' },
    json: { type: 'string' },
    lanes: { type: 'string', default: '2' },
    minutes: { type: 'string' },
  },
});

const sources = SOURCES.flatMap((folder) => filesBelow(root, folder, '.ts'));
const { mutants } = allMutants(root, sources);
const listed = equivalents(mutants);
for (const { file, change } of listed.stale)
  console.error(`equivalent.json: no mutant of ${file} is "${change}" any more.`);
if (listed.stale.length > 0) process.exitCode = 1;

const endMs =
  flags.minutes === undefined ? Number.POSITIVE_INFINITY : Date.now() + Number(flags.minutes) * 60_000;
const seed = flags.seed === undefined ? randomInt(2 ** 31) : Number(flags.seed);
const sample = sampled();
console.log(
  `${sample.length} of ${mutants.length} mutants of ${sources.length} files, seed ${seed}; ${listed.ids.size} are listed as equivalent.`,
);
const reach =
  flags.tests === undefined
    ? await reachMap(root, sources, mutants, Number(flags.lanes))
    : { of: () => filesBelow(root, flags.tests, '.test.ts').map((file) => ({ file, ms: 0 })) };
const lanes = await openLanes(Number(flags.lanes), { sources, bail: 1 });
const startMs = Date.now();
const outcomes = [];
const killsOf = new Map();
/** By source file: how many of its mutants each test file has killed. */
const killersOf = new Map();
const distrusted = new Set();
let controls = 0;
const queue = [...sample];
await Promise.all(
  lanes.map(async (lane) => {
    for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
      if (Date.now() > endMs) return;
      let outcome = await tried(mutant, lane);
      while (outcome.killed && !(await isBelieved(outcome, lane))) outcome = await tried(mutant, lane);
      outcomes.push(outcome);
      if (outcomes.length % 50 === 0) console.log(`${outcomes.length} of ${sample.length} ...`);
      if (!outcome.killed) console.log(described(outcome));
    }
  }),
);
for (const lane of lanes) lane.close();
report();

/** A sample of the seed, without those that are listed as equivalent. */
function sampled() {
  const wanted = flags.ids?.split(',').map(Number);
  const inFiles = (file) => (flags.files ?? ['packages/']).some((path) => file.startsWith(path));
  const all = mutants.filter(({ id, file }) =>
    wanted === undefined ? inFiles(file) && !listed.ids.has(id) : wanted.includes(id),
  );
  const random = randomFrom(seed);
  const drawn = [];
  while (drawn.length < Number(flags.most) && all.length > 0)
    drawn.push(...all.splice(Math.floor(random() * all.length), 1));
  return drawn;
}

/**
 * Whether what failed passes without the mutant: asked of each test file when it kills for the first time, and of every
 * tenth kill. A file that fails by itself is not used any more.
 */
async function isBelieved({ by }, lane) {
  const [file] = by.split(' > ');
  const kills = (killsOf.get(file) ?? 0) + 1;
  killsOf.set(file, kills);
  if (!/^(?:packages\/[^/]+\/)?test\//.test(file) || kills % 10 !== 1) return true;
  controls++;
  const failed = await lane.run({ files: [file] }, 120_000);
  if (failed.length === 0) return true;
  console.log(`not used any more, as it fails by itself: ${failed[0]}`);
  distrusted.add(file);
  return false;
}

async function tried(mutant, lane) {
  const kills = killersOf.get(mutant.file) ?? new Map();
  killersOf.set(mutant.file, kills);
  // What has killed others of the same source file is tried first; the order of the rest stays.
  const files = reach
    .of(mutant)
    .filter(({ file }) => !distrusted.has(file))
    .sort((a, b) => (kills.get(b.file) ?? 0) - (kills.get(a.file) ?? 0));
  let at = 0;
  let spentMs = 0;
  for (const mostMs of [FIRST_TEST_MS, MOST_TEST_MS]) {
    const batch = [];
    let ms = 0;
    for (; at < files.length && (batch.length === 0 || spentMs + ms + files[at].ms <= mostMs); at++) {
      batch.push(files[at].file);
      ms += files[at].ms;
    }
    spentMs += ms;
    if (batch.length === 0) continue;
    const by = await lane.run({ files: batch, mutant: mutant.id }, 20_000 + 4 * ms);
    if (by.length === 0) continue;
    const [killer] = by[0].split(' > ');
    kills.set(killer, (kills.get(killer) ?? 0) + 1);
    return { ...mutant, killed: true, by: by[0] };
  }
  return { ...mutant, killed: false, reachedBy: files.length, tried: at };
}

function described({ id, file, line, change, reachedBy, tried: count }) {
  const by = reachedBy === 0 ? 'no test reaches it' : `${count} of ${reachedBy} test files ran`;
  return `survived ${id} ${file}:${line}  ${change}  (${by})`;
}

function report() {
  const killed = outcomes.filter((outcome) => outcome.killed).length;
  const percent = outcomes.length === 0 ? 0 : Math.floor((1000 * killed) / outcomes.length) / 10;
  const seconds = Math.round((Date.now() - startMs) / 1000);
  console.log(
    `\n${killed} of ${outcomes.length} mutants were killed: ${percent} % (at least ${LEAST_PERCENT} %), in ${seconds} s.`,
  );
  console.log(
    `${controls} kills were repeated without the mutant; ${distrusted.size} test files failed then, too.`,
  );
  for (const folder of SOURCES) {
    const own = outcomes.filter(({ file }) => file.startsWith(`${folder}/`));
    if (own.length > 0)
      console.log(`  ${folder}: ${own.filter((outcome) => outcome.killed).length} of ${own.length}`);
  }
  if (percent < LEAST_PERCENT) process.exitCode = 1;
  if (flags.json === undefined) return;
  mkdirSync(dirname(flags.json), { recursive: true });
  const survivors = outcomes.filter((outcome) => !outcome.killed);
  const { size: equivalent } = listed.ids;
  writeFileSync(
    flags.json,
    `${JSON.stringify({ seed, mutants: outcomes.length, killed, percent, seconds, equivalent, survivors, stale: listed.stale }, null, 2)}\n`,
  );
}

function randomFrom(from) {
  let state = from;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
