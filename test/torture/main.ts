/**
 * npm run torture: runs the rows of the scorecard and prints what they measured. Exits with 1 if a row is missed.
 */
import { randomInt } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname } from 'node:path';
import { parseArgs } from 'node:util';
import { grouped } from './figures.ts';
import { resultFile, writePage } from './page.ts';
import { runRow, type Scored } from './run-row.ts';
import { ROWS, type ScoreRow } from './table.ts';

/** Of the short form. */
const FIXED_SEED = 20260517;
/** Rows that work; those that wait have a lane of their own beside them. */
const SIDE_BY_SIDE = 2;

const USAGE = `npm run torture -- [--quick] [--row ID,…] [--seed N] [--page] [--help]
  --quick  the short form, with fixed seeds, in which a missed row is run once more
  --row    only these rows: ${ROWS.map(({ id }) => id).join(' ')}
  --seed   repeats a run in full
  --page   runs nothing, and writes the figures of the last full runs into docs/reliability.md`;

function flagsIn(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        quick: { type: 'boolean', default: false },
        row: { type: 'string' },
        seed: { type: 'string' },
        page: { type: 'boolean', default: false },
        help: { type: 'boolean', default: false },
      },
    }).values;
  } catch (error) {
    return error as Error;
  }
}

export async function main(args: readonly string[]): Promise<number> {
  const values = flagsIn(args);
  if (values instanceof Error) return fail(`${values.message}\n${USAGE}`);
  if (values.help) {
    console.log(USAGE);
    return 0;
  }
  if (values.page) {
    writePage();
    return 0;
  }
  const wanted = values.row?.split(',');
  // `R1` means `R1a` and `R1b`.
  const isMeant = (given: string, { id }: ScoreRow) => given === id || given === id.replace(/[a-z]$/, '');
  const unknown = wanted?.find((given) => !ROWS.some((row) => isMeant(given, row)));
  if (unknown !== undefined) return fail(`There is no row "${unknown}": ${ROWS.map(({ id }) => id)}.`);
  const replay = values.seed !== undefined;
  const seed = replay ? Number(values.seed) : values.quick ? FIXED_SEED : randomInt(2 ** 31);
  if (!Number.isSafeInteger(seed) || seed < 0) return fail(`"${values.seed}" is not a seed.`);

  const rows = ROWS.filter((row) => wanted?.some((given) => isMeant(given, row)) ?? true);
  console.log(`${rows.length} rows, ${values.quick ? 'short form' : 'in full'}, seed ${seed}\n`);
  console.log(line('row', 'what', 'figure', 'target', 'verdict'));
  const started = performance.now();
  const setup = { quick: values.quick, seed, replay };
  const scored: Scored[] = [];
  const score = async (row: ScoreRow) => {
    const result = await runRow(row, setup);
    scored.push(result);
    print(result);
    if (!values.quick && !replay) keep(result);
  };
  const form = values.quick ? 'quick' : 'full';
  const others = rows.filter(({ alone }) => !alone).sort((a, b) => b.budget[form] - a.budget[form]);
  const working = others.filter(({ waits }) => !waits);
  const waiting = others.filter(({ waits }) => waits);
  const lane = async (queue: ScoreRow[]) => {
    for (let row = queue.shift(); row !== undefined; row = queue.shift()) await score(row);
  };
  await Promise.all([...Array.from({ length: SIDE_BY_SIDE }, () => lane(working)), lane(waiting)]);
  for (const row of rows.filter(({ alone }) => alone)) await score(row);

  // The short form is part of the gate, on machines that do other work: a row that is missed gets a second run, which is
  // printed as one and decides.
  if (values.quick && !replay)
    for (const { id } of scored.filter(({ met }) => !met)) {
      console.log(`\n${id} was missed. Its second run, with no other row beside it:`);
      scored.splice(
        scored.findIndex((first) => first.id === id),
        1,
      );
      for (const row of rows.filter((one) => one.id === id)) await score(row);
    }

  const missed = scored.filter(({ met }) => !met).map(({ id }) => id);
  console.log(
    `\n${scored.length - missed.length} met, ${missed.length} missed${missed.length > 0 ? `: ${missed}` : ''}, in ${((performance.now() - started) / 60_000).toFixed(1)} minutes`,
  );
  for (const id of missed)
    console.log(`again: npm run torture -- ${values.quick ? '--quick ' : ''}--row ${id} --seed ${seed}`);
  return missed.length === 0 ? 0 : 1;
}

function print({ id, title, figures, met, seconds, error }: Scored): void {
  figures.forEach(({ name, value, target, met: isMet, cases = [] }, index) => {
    console.log(line(index === 0 ? id : '', name, grouped(value), target, isMet ? 'met' : 'MISSED'));
    for (const one of cases) console.log(`       ${one}`);
  });
  console.log(
    line(figures.length === 0 ? id : '', title, `${seconds} s`, '', met ? 'row met' : 'ROW MISSED'),
  );
  if (error !== undefined) console.log(error.replaceAll(/^/gm, '       '));
}

const line = (id: string, what: string, figure: string, target: string, verdict: string): string =>
  [id.padEnd(5), what.padEnd(62), figure.padStart(12), ` ${target}`.padEnd(14), verdict].join(' ').trimEnd();

function keep(result: Scored): void {
  const file = resultFile(result.id);
  mkdirSync(dirname(file), { recursive: true });
  const { error: _, ...kept } = result;
  const made = {
    date: new Date().toISOString().slice(0, 10),
    node: process.version,
    machine: `${process.platform} ${process.arch}, ${availableParallelism()} processors`,
  };
  writeFileSync(file, `${JSON.stringify({ ...kept, ...made }, undefined, 2)}\n`);
}

function fail(message: string): number {
  console.error(message);
  return 2;
}
