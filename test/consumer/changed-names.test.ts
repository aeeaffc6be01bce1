/**
 * `version-0-1-0/` is a consumer of version 0.1.0 before its redesign: its examples and all names that it exported. The
 * type check of the repository compiles it (`npm run types`), so a name that goes is an error there, unless its line is
 * marked as expected; then the changelog must name it.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const pathOf = (path: string) => fileURLToPath(new URL(path, import.meta.url));

it('the changelog names every public name of 0.1.0 that is gone', () => {
  const folder = pathOf('version-0-1-0/');
  const sources = readdirSync(folder).map((file) => readFileSync(`${folder}${file}`, 'utf8'));
  expect(sources.length).toBeGreaterThan(60);
  const marks = sources.flatMap((source) => [...source.matchAll(/^\s*\/\/ @ts-expect-error(.*)$/gm)]);
  expect(marks.length).toBeGreaterThan(20);
  const changelog = readFileSync(pathOf('../../CHANGELOG.md'), 'utf8');
  const names = marks.map(([, what = '']) => /^ `(\w+)`$/.exec(what)?.[1] ?? `a mark without a name:${what}`);
  expect([...new Set(names)].filter((name) => !new RegExp(`\\b${name}\\b`).test(changelog))).toEqual([]);
});
