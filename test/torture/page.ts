/** docs/reliability.md: the figures of the last full runs, between two marks. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { grouped } from './figures.ts';
import type { Scored } from './run-row.ts';
import { ROWS } from './table.ts';

const PAGE = 'docs/reliability.md';
const START = '<!-- figures -->';
const END = '<!-- end of figures -->';

interface Kept extends Scored {
  readonly date: string;
  readonly node: string;
  readonly machine: string;
}

export const resultFile = (id: string): string => `test/torture/results/${id[0]}/${id}.json`;

export function writePage(): void {
  const page = readFileSync(PAGE, 'utf8');
  const [start, end] = [page.indexOf(START), page.indexOf(END)];
  if (start < 0 || end < start) throw new Error(`${PAGE} has no marks for its figures.`);
  const text = `${page.slice(0, start)}${START}\n${figures()}\n${page.slice(end)}`;
  writeFileSync(PAGE, text);
}

function figures(): string {
  const rows = ROWS.map(({ id, title }) => {
    const file = resultFile(id);
    return {
      id,
      title,
      kept: existsSync(file) ? (JSON.parse(readFileSync(file, 'utf8')) as Kept) : undefined,
    };
  });
  const lines = rows.flatMap(({ id, title, kept }) =>
    kept === undefined
      ? [`| ${id} | ${title} | not run yet | | |`]
      : kept.figures.map(
          ({ name, value, target, met }, index) =>
            `| ${index === 0 ? id : ''} | ${name} | ${grouped(value)} | ${target} | ${met ? 'met' : '**missed**'} |`,
        ),
  );
  const runs = rows.flatMap(({ id, kept }) =>
    kept === undefined ? [] : [`| ${id} | ${kept.date} | ${kept.node} | ${kept.seed} | ${kept.seconds} s |`],
  );
  const machines = new Set(rows.flatMap(({ kept }) => kept?.machine ?? []));
  return [
    '',
    '| row | what | figure | target | verdict |',
    '|---|---|---:|---|---|',
    ...lines,
    '',
    `Each row was run by \`npm run torture\`, or alone with \`-- --row ID\`, on ${[...machines].join(' and ')}; \`--seed\` repeats a run.`,
    '',
    '| row | date | Node | seed | time |',
    '|---|---|---|---:|---:|',
    ...runs,
    '',
  ].join('\n');
}
