/** docs/journeys.md says how values get through the code. Each of its rows is compared with the sources. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { sourceFiles } from './sources.ts';

const root = fileURLToPath(new URL('..', import.meta.url));

/** The most files that a journey may cross, without those that stay for a reason which the page gives; and in all. */
const LIMITS: Readonly<Record<string, readonly [handing: number, all: number]>> = {
  'A prompt, to the wire': [18, 23],
  'A tool call, to the next request': [16, 19],
  'A record, to the disk and into a resumed session': [18, 22],
  'An option, to its use': [10, 13],
};

interface Row {
  readonly file: string;
  readonly name: string;
  /** undefined: the journey begins here. */
  readonly reachedBy: string | undefined;
}

interface Journey {
  readonly title: string;
  /** Each goes in one direction. */
  readonly tables: readonly (readonly Row[])[];
  /** The row of another journey from which it goes the same way; undefined: it has an end of its own. */
  readonly joins: string | undefined;
  /** Files that stay, with a reason each. */
  readonly stays: readonly string[];
}

function journeysOf(page: string): Journey[] {
  return page
    .split(/^## /m)
    .slice(1)
    .map((section) => {
      const [title = ''] = section.split('\n');
      const tables = section
        .split(/\n\n+/)
        .map((part) => part.split('\n').flatMap(rowOf))
        .filter((rows) => rows.length > 0);
      const stays = [...section.matchAll(/^- `(packages\/[^`]+)`: \S.*\.$/gm)].map(([, file = '']) => file);
      return { title, tables, joins: /^`(packages\/[^`]+)` on\.$/m.exec(section)?.[1], stays };
    });
}

function rowOf(line: string): Row[] {
  const row = /^\| `(packages\/[^`]+)` \| `(\w+)` \| (?:`(\w+)`|–) \| \S.* \|$/.exec(line);
  return row === null ? [] : [{ file: row[1] as string, name: row[2] as string, reachedBy: row[3] }];
}

const page = readFileSync(join(root, 'docs/journeys.md'), 'utf8');
const journeys = journeysOf(page);
const textOf = (file: string) => readFileSync(join(root, file), 'utf8');
/** A package, or a room of the engine. */
const roomOf = ({ file }: Row) => /^packages\/(engine\/src\/[^/]+|[^/]+)/.exec(file)?.[1] as string;
const filesOf = ({ tables }: Journey) => [...new Set(tables.flat().map(({ file }) => file))];

/** A function, method, getter or class of this name, also as a constant or a member of an object. */
const defines = (code: string, name: string) =>
  new RegExp(
    `\\b(?:function\\*?|class|const|get) ${name}\\b|^ +(?:async )?\\*?#?${name}\\b[^\\n]*[({:]|^ +${name}: `,
    'm',
  ).test(code);

const names = (code: string, name: string) => new RegExp(`\\b${name}\\b`, 'i').test(code);

describe.each(journeys)('$title', (journey) => {
  const { title, tables, joins, stays } = journey;

  it('names files, and functions that are in them', () => {
    const rows = tables.flat();
    expect(rows.length).toBeGreaterThan(5);
    expect(rows.filter(({ file }) => !existsSync(join(root, file)))).toEqual([]);
    expect(rows.filter(({ file, name }) => !defines(textOf(file), name))).toEqual([]);
  });

  it('is connected: a row before hands the value on, under a name that both files have', () => {
    const loose = tables.flatMap((rows) =>
      rows.flatMap(({ file, reachedBy }, at) => {
        if (reachedBy === undefined) return at === 0 ? [] : [`${file} is reached by nothing`];
        // The row before, or one that it returns to: of the same room, or the last before that room.
        const room = roomOf(rows[at - 1] as Row);
        const before = rows.slice(0, at);
        const from = before.filter((row) => roomOf(row) === room).concat(before.slice(-1));
        const isNamed =
          names(textOf(file), reachedBy) && from.some((row) => names(textOf(row.file), reachedBy));
        return isNamed ? [] : [`${file} is not reached by ${reachedBy}`];
      }),
    );
    expect(loose).toEqual([]);
  });

  it('enters no room again that it has left', () => {
    for (const rows of tables) {
      const rooms = rows.map(roomOf).filter((room, at, all) => room !== all[at - 1]);
      expect(rooms).toEqual([...new Set(rooms)]);
    }
  });

  it('crosses no more files than its limit', () => {
    expect(Object.keys(LIMITS)).toContain(title);
    const files = filesOf(journey);
    const [handing, all] = LIMITS[title] as readonly [number, number];
    expect(files.length).toBeLessThanOrEqual(all);
    expect(stays.filter((file) => !files.includes(file))).toEqual([]);
    expect(files.filter((file) => !stays.includes(file)).length).toBeLessThanOrEqual(handing);
  });

  it('goes on with another journey, if it says so', () => {
    if (joins === undefined) return;
    const others = journeys.filter((other) => other !== journey).flatMap(filesOf);
    expect(others).toContain(joins);
    expect(names(textOf(tables.at(-1)?.at(-1)?.file ?? ''), 'prepareView')).toBe(true);
  });
});

/** What runs agents of its own gives each of them a part of what it was given. */
const SHARES_OUT =
  /^packages\/(?:evals\/src|cli\/src\/(?:evals|forking))\/|^packages\/cli\/src\/flags\/(?:eval|fork)-flags\.ts$/;

it('an option is named in its table and where it acts, and nowhere between', () => {
  const section = page.split(/^## /m).find((part) => part.startsWith('An option')) ?? '';
  const option = /way of `(\w+)`/.exec(section)?.[1] as string;
  const naming = sourceFiles().filter((file) => !SHARES_OUT.test(file) && textOf(file).includes(option));
  const inTable = [
    'packages/engine/src/options/options.ts',
    'packages/engine/src/options/table.ts',
    'packages/cli/src/flags/option-sentences.ts',
  ];
  const acts = [
    'packages/engine/src/engine/budget/session-budget.ts',
    'packages/engine/src/engine/budget/budget-guard.ts',
  ];
  const further = [
    ...section.matchAll(/\(`(packages\/engine\/src\/engine\/(?:models|budget|output)[^)]*)\)/g),
  ].flatMap(([, list = '']) => list.split(/`,\s*`/).map((file) => file.replaceAll('`', '')));
  expect(further.length).toBeGreaterThan(2);
  expect(naming.toSorted()).toEqual([...inTable, ...acts, ...further].sort());
});

it('the page has every journey that has a limit, and the check finds what is wrong', () => {
  expect(journeys.map(({ title }) => title)).toEqual(Object.keys(LIMITS));
  expect(rowOf('| `packages/a/src/b.ts` | `run` | – | begins |')).toEqual([
    { file: 'packages/a/src/b.ts', name: 'run' },
  ]);
  expect(rowOf('| file | function | reached by | what |')).toEqual([]);
  expect(defines('  run(a: string): void {', 'run')).toBe(true);
  expect(defines('// run it', 'run')).toBe(false);
});
