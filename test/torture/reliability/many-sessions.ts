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

/** Iterations per second of several runs. */
const rate = (runs: readonly Work[]): number =>
  (runs.reduce((sum, { turns }) => sum + turns, 0) * 1000) / runs.reduce((sum, { ms }) => sum + ms, 0);

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
  const ours: Measured[] = [];
  const vendors: Work[] = [];
  try {
    // In turns: how fast the machine is changes from minute to minute. In the short form the most goes into code that is
    // not compiled yet, so the vendor's client is left out.
    for (let round = 1; round <= size(1, 2); round++) {
      if (!quick) vendors.push(await run('vendor-client.mjs'));
      ours.push(await run('many-sessions.mjs'));
    }
    if (!quick) vendors.push(await run('vendor-client.mjs'));
    figures.atLeast('sessions that ended well', Math.min(...ours.map((each) => each.succeeded)), sessions);
    figures.atLeast('iterations', Math.min(...ours.map((each) => each.turns)), sessions * ITERATIONS);
    figures.atMost('largest resident set', Math.max(...ours.map((each) => each.peak)) / 1024 ** 2, 350, 'MB');
    if (!quick)
      figures.atLeast(
        "iterations per second, of those of the vendor's client",
        rate(ours) / rate(vendors),
        LEAST_OF_VENDOR,
      );
    figures.atMost('longest stop of the event loop', Math.max(...ours.map((each) => each.lagMs)), 250, 'ms');
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
