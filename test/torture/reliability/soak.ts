/** R10: one session for thousands of iterations. Nothing grows but what it has to keep. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { percentile } from '../../percentile.ts';
import { startEndlessModel } from '../endless-model.ts';
import { linesOf } from '../program.ts';
import { row } from '../row.ts';

interface Sample {
  readonly iteration: number;
  readonly compactions: number;
  /** Bytes after a garbage collection, without compiled code. */
  readonly heap: number;
  readonly fds: number;
  readonly timers: number;
  readonly children: number;
  readonly sockets: number;
  readonly listeners: number;
}

interface End {
  readonly subtype: string;
  readonly iteration: number;
  readonly reconnected: number;
  /** Messages from before a compaction that were looked for, and that were still held. */
  readonly checked: number;
  readonly leftOver: number;
  readonly warnings: number;
}

const median = (values: readonly number[]): number => percentile(values, 0.5);

/** What must not grow, and by how many it may differ between the halves. */
const HANDLES = [
  // A summary is asked for on a second connection to the model, which is then kept open for a while.
  ['fds', 1],
  ['timers', 0],
  ['children', 0],
  ['sockets', 0],
  ['listeners', 0],
] as const;

row('R10', async ({ figures, size }) => {
  const iterations = size(500, 10_000);
  const reconnects = size(20, 1_000);
  const folder = mkdtempSync(join(tmpdir(), 'soak-'));
  // A few of its turns go to requests beside the conversation.
  const turns = Math.ceil(iterations * 1.05);
  const model = await startEndlessModel(turns, 2);
  try {
    // Tokens: the short form is compacted often enough, too.
    const window = size(40_000, 60_000);
    const order = { folder, url: model.url, iterations, reconnects, samples: 100, window };
    const lines: (Sample | End)[] = [];
    for await (const line of linesOf<Sample | End>('soak.mjs', order, ['--expose-gc'])) lines.push(line);
    const end = lines.at(-1) as End;
    // The first fifth warms up, and the last sample is from behind the end.
    const samples = (lines.slice(0, -2) as Sample[]).filter(({ iteration }) => iteration > iterations / 5);
    const half = Math.floor(samples.length / 2);
    const growth = (kind: keyof Sample, typical: (values: number[]) => number) => {
      const [before, after] = [samples.slice(0, half), samples.slice(half)];
      return typical(after.map((each) => each[kind])) - typical(before.map((each) => each[kind]));
    };
    const between = (samples.at(half)?.iteration ?? 0) - (samples[0]?.iteration ?? 0);

    figures.atLeast('iterations', end.iteration, iterations);
    figures.atLeast('commands', Math.floor(end.iteration / 2), iterations / 2);
    figures.atLeast('reconnections of a server', end.reconnected, reconnects);
    figures.atLeast('compactions', (lines.at(-2) as Sample).compactions, size(3, 20));
    // The short form is over before everything has run often enough to be compiled for good.
    // The heap is at its smallest behind a compaction.
    const heap = growth('heap', (values) => Math.min(...values)) / between;
    figures.atMost('growth of the heap per iteration', heap, size(2048, 1024), 'bytes');
    for (const [kind, most] of HANDLES) figures.atMost(`growth of ${kind}`, growth(kind, median), most);
    figures.atMost('warnings of Node', end.warnings, 0);
    if (size(0, 1) === 1)
      figures.atLeast('messages from before a compaction, looked for', end.checked, iterations);
    figures.atMost('messages from before a compaction, still held', end.leftOver, 0);
    figures.none('another end than success', end.subtype === 'success' ? [] : [JSON.stringify(end)]);
  } finally {
    model.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
