/** R11: a thousand sessions at the same time in one process, each with calls of a tool. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startEndlessModel } from '../endless-model.ts';
import { linesOf } from '../program.ts';
import { row } from '../row.ts';

const ITERATIONS = 21;
/**
 * Iterations per second, of those of the vendor's client in the same minutes. Its target was set as 900 on a machine on
 * which that client reached 799.
 */
const LEAST_OF_VENDOR = 900 / 799;

interface Work {
  readonly turns: number;
  readonly ms: number;
}

interface Measured extends Work {
  readonly succeeded: number;
  /** Largest resident set, bytes. */
  readonly peak: number;
  /** Longest time that the event loop stood still. */
  readonly lagMs: number;
}

const perSecond = ({ turns, ms }: Work): number => (turns * 1000) / ms;

row('R11', async ({ figures, quick, size }) => {
  const sessions = size(200, 1_000);
  const folder = mkdtempSync(join(tmpdir(), 'sessions-'));
  const run = async <T>(program: string): Promise<T> => {
    const model = await startEndlessModel(ITERATIONS - 1);
    try {
      for await (const measured of linesOf<T>(program, { url: model.url, sessions, folder })) return measured;
      throw new Error(`${program} has printed nothing.`);
    } finally {
      model.stop();
    }
  };
  const vendor = () => run<Work>('vendor-client.mjs');
  try {
    // In the short form the most goes into code that is not compiled yet.
    const before = quick ? undefined : await vendor();
    const measured = await run<Measured>('many-sessions.mjs');
    const after = quick ? undefined : await vendor();
    figures.atLeast('sessions that ended well', measured.succeeded, sessions);
    figures.atLeast('iterations', measured.turns, sessions * ITERATIONS);
    figures.atMost('largest resident set', measured.peak / 1024 ** 2, 350, 'MB');
    if (before !== undefined && after !== undefined) {
      const relative = (2 * perSecond(measured)) / (perSecond(before) + perSecond(after));
      figures.atLeast("iterations per second, of those of the vendor's client", relative, LEAST_OF_VENDOR);
    }
    figures.atMost('longest stop of the event loop', measured.lagMs, 250, 'ms');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
