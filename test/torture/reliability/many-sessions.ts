/** R11: a thousand sessions at the same time in one process, each with calls of a tool. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEndlessModel } from '../endless-model.ts';
import { linesOf } from '../program.ts';
import { row } from '../row.ts';

const ITERATIONS = 21;

interface Measured {
  readonly succeeded: number;
  readonly turns: number;
  readonly ms: number;
  /** Largest resident set, bytes. */
  readonly peak: number;
  /** Longest time that the event loop stood still. */
  readonly lagMs: number;
}

row('R11', async ({ figures, size }) => {
  const sessions = size(200, 1_000);
  const folder = mkdtempSync(join(tmpdir(), 'sessions-'));
  const model = await startEndlessModel(ITERATIONS - 1);
  try {
    for await (const measured of linesOf<Measured>('many-sessions.mjs', {
      url: model.url,
      sessions,
      folder,
    })) {
      figures.atLeast('sessions that ended well', measured.succeeded, sessions);
      figures.atLeast('iterations', measured.turns, sessions * ITERATIONS);
      figures.atMost('largest resident set', measured.peak / 1024 ** 2, 350, 'MB');
      figures.atLeast('iterations per second', (measured.turns * 1000) / measured.ms, 900);
      figures.atMost('longest stop of the event loop', measured.lagMs, 250, 'ms');
    }
  } finally {
    model.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
