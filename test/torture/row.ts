/** The frame of a row: its sizes and seed, its corpus, and the figures that it records. See README.md here. */
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { seededRandom } from '@turnwright/testing';
import { it } from 'vitest';
import { Figures } from './figures.ts';
import { ORDER, type Order, type Outcome, PATIENCE } from './order.ts';

export interface Row {
  readonly figures: Figures;
  /** The short form: fixed seeds, for continuous integration. */
  readonly quick: boolean;
  /** Fixed in the short form, new in a full run, given in a replay. */
  readonly seed: number;
  /** Only this seed is to be run. */
  readonly replay: boolean;
  /** From the seed: at least 0, below 1. */
  readonly random: () => number;
  /** How much is done. */
  size(quick: number, full: number): number;
  /** Milliseconds of the budget that are left; below 0 when it is used up. */
  timeLeftMs(): number;
  /** What broke the program once, as it was kept; part of every run. */
  corpus<T>(): readonly T[];
  /** Keeps a counter-example: it joins the corpus. A full run does so, the short form does not. */
  keep(example: unknown): void;
}

/** Defines the row of this file. An exception of `run` is a miss of the whole row. */
export function row(id: string, run: (row: Row) => Promise<void> | void): void {
  const order = JSON.parse(process.env[ORDER] ?? 'null') as Order | null;
  if (order === null) throw new Error('A row is run by `npm run torture -- --row ID`.');
  if (order.id !== id) throw new Error(`This file holds row ${id}, not ${order.id}.`);
  const figures = new Figures();
  it(id, { timeout: order.budgetSeconds * PATIENCE * 1000 }, async () => {
    const leave = (outcome: Outcome) => writeFileSync(order.outcome, JSON.stringify(outcome));
    try {
      await run(context(order, figures));
      leave({ figures: figures.list });
    } catch (error) {
      leave({ figures: figures.list, error: String((error as Error)?.stack ?? error) });
      throw error;
    }
  });
}

function context(order: Order, figures: Figures): Row {
  const started = performance.now();
  const { quick, seed, replay } = order;
  const folder = join(import.meta.dirname, 'corpus', order.id);
  return {
    figures,
    quick,
    seed,
    replay,
    random: seededRandom(seed),
    size: (short, full) => (quick ? short : full),
    timeLeftMs: () => order.budgetSeconds * 1000 - (performance.now() - started),
    corpus: <T>() =>
      existsSync(folder)
        ? readdirSync(folder)
            .sort()
            .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as T)
        : [],
    keep(example) {
      if (quick) return;
      const text = `${JSON.stringify(example, undefined, 2)}\n`;
      mkdirSync(folder, { recursive: true });
      const name = createHash('sha256').update(text).digest('hex').slice(0, 12);
      writeFileSync(join(folder, `${name}.json`), text);
    },
  };
}
