/** R9: a run with commands, a server and an agent is ended at each message that it yields, in every way. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from '../../scenarios/processes.ts';
import { linesOf } from '../program.ts';
import { row } from '../row.ts';

const WAYS = ['interrupt', 'abort', 'close', 'return'] as const;

interface Run {
  readonly at: number;
  readonly way: (typeof WAYS)[number];
  readonly waitMs: number;
}

interface Ended extends Omit<Run, 'waitMs'> {
  readonly messages: number;
  /** From the call that ends the run to the end of its generator; absent: it had ended before. */
  readonly endMs?: number;
  readonly pids: readonly number[];
}

row('R9', async ({ figures, size, random, quick }) => {
  const folder = mkdtempSync(join(tmpdir(), 'abort-'));
  const [whole] = await played([{ at: -1, way: 'close', waitMs: 0 }], join(folder, 'whole'));
  const length = whole?.messages ?? 0;
  const runs: Run[] = [];
  const step = size(Math.ceil(length / 3), 1);
  for (const [index, way] of WAYS.entries())
    for (let at = 1 + index; at <= length; at += step) {
      runs.push({ at, way, waitMs: 0 });
      // In full one of the ways also somewhere behind every second message: while a command runs nothing is yielded.
      if (!quick && at % (2 * WAYS.length) === index)
        runs.push({ at, way, waitMs: Math.floor(random() * 200) });
    }
  const slow: string[] = [];
  const orphans: string[] = [];
  const ends: number[] = [];
  let processes = 0;
  let longestDeathMs = 0;
  try {
    for (const { at, way, endMs, pids } of await played(runs, folder, async (ended) => {
      const started = performance.now();
      for (let living = ended.pids.filter(isAlive); living.length > 0; living = living.filter(isAlive)) {
        if (performance.now() - started > 2_000) {
          orphans.push(`${ended.way} at message ${ended.at}: ${living.length} of ${ended.pids.length}`);
          for (const pid of living) process.kill(pid, 'SIGKILL');
          break;
        }
        await new Promise((resolve) => setTimeout(resolve, 5));
      }
      longestDeathMs = Math.max(longestDeathMs, performance.now() - started);
    })) {
      processes += pids.length;
      if (endMs === undefined) continue;
      ends.push(endMs);
      if (endMs > 100) slow.push(`${way} at message ${at}: ${Math.round(endMs)} ms`);
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
  ends.sort((a, b) => a - b);
  figures.atLeast('runs ended at a message, or behind one', ends.length, size(8, length * 3));
  figures.atLeast('processes that they had started', processes, size(8, length * 4));
  const p99 = ends[Math.ceil(ends.length * 0.99) - 1] ?? Number.NaN;
  figures.atMost('from the call to the end of the generator, p99', p99, 100, 'ms');
  figures.atMost('from there to the death of the last process, longest', longestDeathMs, 1_000, 'ms');
  figures.none('runs with processes that are not dead after two seconds', orphans);
  if (p99 > 100) figures.none('ends that took too long', slow);
});

async function played(
  runs: readonly Run[],
  folder: string,
  each: (ended: Ended) => Promise<void> = async () => {},
): Promise<Ended[]> {
  const all: Ended[] = [];
  for await (const ended of linesOf<Ended>('abort-points.mjs', { folder, runs })) {
    all.push(ended);
    await each(ended);
  }
  return all;
}
