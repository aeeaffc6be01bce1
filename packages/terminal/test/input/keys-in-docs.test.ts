/** The table of keys in docs/screen.md is the table of actions. */
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { createBindings } from '../../src/input/bindings.ts';

const page = readFileSync(new URL('../../../../docs/screen.md', import.meta.url), 'utf8');

it('docs/screen.md lists every action with its keys, as they are bound', () => {
  const rows = [...page.matchAll(/^\| `(\w+)` \| (.*?) \| (.*?) \|$/gm)].map(([, action, keys, about]) => {
    return { action, keys, about };
  });
  const expected = createBindings().help.map(({ action, keys, about }) => ({ action, keys, about }));
  const missing = expected.map(({ action, keys, about }) => `| \`${action}\` | ${keys} | ${about} |`);
  // The rows to copy, when this fails.
  expect(rows, missing.join('\n')).toEqual(expected);
});
