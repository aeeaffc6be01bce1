/** Every variable of the environment that the resolver reads is on a page. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { OPTIONS, type OptionRow } from '../../src/options/table.ts';

const root = fileURLToPath(new URL('../../../..', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');

it('each variable is documented', () => {
  const sources = ['read-environment', 'config-home']
    .map((name) => read(`packages/engine/src/settings/read/${name}.ts`))
    .join('\n');
  const variables = new Set([
    ...[...sources.matchAll(/['"]([A-Z][A-Z0-9]*_[A-Z0-9_]+)['"]|^ {2}([A-Z][A-Z0-9_]{6,}): '/gm)].map(
      ([, quoted, key]) => quoted ?? key ?? '',
    ),
    ...Object.values<OptionRow>(OPTIONS).flatMap(({ variable }) => variable ?? []),
  ]);
  expect(variables.size).toBeGreaterThan(30);
  const pages = readdirSync(join(root, 'docs'))
    .filter((name) => name.endsWith('.md'))
    .map((name) => read(`docs/${name}`))
    .join('\n');
  expect([...variables].filter((name) => !pages.includes(name))).toEqual([]);
});
