/**
 * More than 1,000 command lines as people and models write them, and what each mode says of them without a rule: a
 * table to read, in `fixtures/commands/corpus-verdicts.txt`. What another agent asks about is in `asked-elsewhere.txt`.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { everyNth, isLong } from '@turnwright/test/long-form.ts';
import { question, TOOLS, tempFolder, unchangingFiles } from '@turnwright/test/permissions/ask-doubles.ts';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPermissions } from '../../src/permissions/permission-engine.ts';
import { fixture, linesOf, makeProject } from './corpus-project.ts';

const MODES = ['default', 'acceptEdits', 'plan', 'dontAsk'] as const;
/** In the short form each n-th line; the table is written by the long one (`TURNWRIGHT_LONG_TESTS=1 … -u`). */
const SHARE = 6;
const folder = await tempFolder();
const cwd = join(folder.path, 'proj');

beforeAll(() => makeProject(cwd));
afterAll(() => folder.remove());

/** What of a sentence is about the line. */
const reasonOf = (text: string): string =>
  text
    .replace(/^Bash with the command [\s\S]* needs approval: /, '')
    .replace(/,? and the permission mode is \w+\.$/, '')
    .replaceAll(cwd, '{cwd}')
    .replaceAll('\n', '\\n');

it('in every category fewer lines are asked about than elsewhere', async () => {
  const tally = (lines: readonly { category: string }[]) =>
    lines.reduce<Record<string, number>>((sums, { category }) => {
      sums[category] = (sums[category] ?? 0) + 1;
      return sums;
    }, {});
  const [, ...table] = (await readFile(fixture('corpus-verdicts.txt'), 'utf8')).trimEnd().split('\n');
  const all = await linesOf('corpus.txt', cwd);
  expect(table).toHaveLength(all.length);
  const here = tally(all.filter((_, at) => !table[at]?.startsWith('allow')));
  const elsewhere = tally(await linesOf('asked-elsewhere.txt', cwd));
  expect(Object.keys(elsewhere).length).toBeGreaterThan(10);
  for (const [category, count] of Object.entries(elsewhere))
    expect(here[category] ?? 0, category).toBeLessThan(count);
});

it('every line of the corpus gets the verdicts of the table', async () => {
  const all = await linesOf('corpus.txt', cwd);
  expect(all.length).toBeGreaterThan(1_000);
  const lines = everyNth(SHARE, all);
  const files = unchangingFiles();
  const engines = MODES.map((mode) => createPermissions({ files, mode, home: folder.path }));
  const rows = await Promise.all(
    lines.map(async ({ category, written, command }) => {
      const verdicts = await Promise.all(
        engines.map(async (engine) => engine.decide(question(TOOLS.Bash, { command }, cwd))),
      );
      const [byDefault] = verdicts;
      const changed = byDefault?.kind === 'allow' && byDefault.updatedInput?.['command'];
      const reason =
        byDefault?.kind === 'ask'
          ? reasonOf(byDefault.message)
          : changed
            ? reasonOf(`runs as: ${changed}`)
            : '';
      return [...verdicts.map(({ kind }) => kind.padEnd(6)), `${category.padEnd(10)} ${written}`, reason]
        .join('\t')
        .trimEnd();
    }),
  );
  const head = [
    ...MODES.map((mode) => mode.slice(0, 6)),
    'category   line',
    'why it is asked about, or as what it runs',
  ];
  const table = fixture('corpus-verdicts.txt');
  if (isLong) await expect(`${[head.join('\t'), ...rows].join('\n')}\n`).toMatchFileSnapshot(table);
  else {
    const [, ...known] = (await readFile(table, 'utf8')).trimEnd().split('\n');
    expect(rows).toEqual(everyNth(SHARE, known));
  }
});
