/**
 * Replays every session that is kept below a folder, and says which of them decide differently. Of a run of tests, whatever
 * list and files:
 *
 *   TURNWRIGHT_KEEP_SESSIONS=/tmp/kept npx vitest run test/scenarios; node scripts/replay-kept.mjs /tmp/kept
 *
 * Needs `npm run build`. Exit code 1: one of them differs.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { basename, join, relative, sep } from 'node:path';
import { replaySession } from '../dist/index.js';
import { replay } from '../dist/testing.js';

const [folder = '.'] = process.argv.slice(2);
const figures = { sessions: 0, same: 0, different: 0, nothing: 0, unreadable: 0, iterations: 0 };

/** Of a test with a store in memory; `agent-…` is the journal of an agent. */
function replayRecords(path) {
  const lines = readFileSync(path, 'utf8').split('\n');
  const entries = lines.filter((line) => line !== '').map((line) => JSON.parse(line));
  return replay(entries, { isAgent: basename(path).startsWith('agent-') });
}

for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
  const steps = name.split(sep);
  const isInMemory = steps.at(-2) === 'memory';
  if (!name.endsWith('.jsonl') || (steps.at(-3) !== 'projects' && !isInMemory)) continue;
  const path = join(folder, name);
  figures.sessions += 1;
  try {
    const env = { TURNWRIGHT_HOME: join(path, '../../..') };
    const { difference, iterations } = isInMemory
      ? await replayRecords(path)
      : await replaySession(basename(path, '.jsonl'), { cwd: folder, env });
    figures.iterations += iterations;
    figures[difference ? 'different' : iterations > 0 ? 'same' : 'nothing'] += 1;
    if (difference !== undefined) {
      const { submission, iteration, fact, recorded, now } = difference;
      console.log(`${relative(folder, path)}: submission ${submission}, iteration ${iteration}: ${fact}`);
      console.log(`  ${JSON.stringify(recorded)?.slice(0, 200)} → ${JSON.stringify(now)?.slice(0, 200)}`);
    }
  } catch (error) {
    figures.unreadable += 1;
    console.log(`${relative(folder, path)}: ${error instanceof Error ? error.message : error}`);
  }
}
console.log(figures);
process.exitCode = figures.different > 0 ? 1 : 0;
