/** Runs one row in a process of its own: what it leaks, or how it crashes, is no matter of the next one. */
import { spawn } from 'node:child_process';
import { closeSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Figure } from './figures.ts';
import { ORDER, type Order, type Outcome, PATIENCE } from './order.ts';
import type { ScoreRow } from './table.ts';

export interface Scored {
  readonly id: string;
  readonly title: string;
  readonly figures: readonly Figure[];
  readonly met: boolean;
  readonly seed: number;
  readonly seconds: number;
  readonly error?: string;
}

interface Setup {
  readonly quick: boolean;
  readonly seed: number;
  readonly replay: boolean;
}

export async function runRow(row: ScoreRow, { quick, seed, replay }: Setup): Promise<Scored> {
  const folder = mkdtempSync(join(tmpdir(), 'torture-'));
  const budgetSeconds = quick ? row.budget.quick : row.budget.full;
  const order: Order = {
    id: row.id,
    file: row.file,
    quick,
    seed,
    replay,
    budgetSeconds,
    outcome: join(folder, 'outcome.json'),
  };
  const started = performance.now();
  const log = join(folder, 'log');
  const isLate = await runVitest(order, log);
  const outcome: Outcome = existsSync(order.outcome)
    ? (JSON.parse(readFileSync(order.outcome, 'utf8')) as Outcome)
    : {
        figures: [],
        error: isLate ? `stopped after ${budgetSeconds * PATIENCE} s` : readFileSync(log, 'utf8'),
      };
  rmSync(folder, { recursive: true, force: true });
  const { figures, error } = outcome;
  return {
    id: row.id,
    title: row.title,
    figures,
    met: error === undefined && figures.length > 0 && figures.every(({ met }) => met),
    seed,
    seconds: Math.round((performance.now() - started) / 100) / 10,
    ...(error !== undefined && { error }),
  };
}

/** Resolves to whether it had to be stopped. */
async function runVitest(order: Order, log: string): Promise<boolean> {
  const output = openSync(log, 'w');
  const child = spawn(process.execPath, ['node_modules/vitest/vitest.mjs', 'run', '--project', 'row'], {
    stdio: ['ignore', output, output],
    // A group of its own: a row that is stopped takes its programs with it.
    detached: true,
    env: {
      ...process.env,
      [ORDER]: JSON.stringify(order),
      ...(!order.quick && { TURNWRIGHT_LONG_TESTS: '1' }),
    },
  });
  closeSync(output);
  const stop = () => process.kill(-(child.pid as number), 'SIGKILL');
  let isLate = false;
  const timer = setTimeout(
    () => {
      isLate = true;
      stop();
    },
    order.budgetSeconds * PATIENCE * 1000 + 30_000,
  );
  process.once('exit', stop);
  await new Promise((resolve) => child.on('close', resolve));
  process.off('exit', stop);
  clearTimeout(timer);
  return isLate;
}
