import { describe, expect, it } from 'vitest';
import { ignorePattern, matchesGlob, matchesNames, matchesPath } from '../src/search/name-pattern.ts';
import { matchesWildcards } from '../src/text/wildcards.ts';

/** What each way to read a pattern makes of it: a glob of settings, a line of an ignore file, names of a rule. */
describe('a pattern, as each dialect reads it', () => {
  const parts = (path: string) => path.split('/').filter((name) => name !== '');
  const isIgnored = (line: string, path: string) => {
    const pattern = ignorePattern(line);
    return pattern !== undefined && matchesPath(pattern, parts(path), false);
  };

  it.each([
    // pattern, path, glob, ignore line, names of a rule
    ['a.ts', 'a.ts', true, true, true],
    ['a.ts', 'src/a.ts', false, true, false],
    ['/a.ts', 'src/a.ts', false, false, false],
    ['*.ts', 'a.ts', true, true, true],
    ['src/*.ts', 'src/a.ts', true, true, true],
    ['src/*.ts', 'src/a/b.ts', false, false, false],
    ['src/**', 'src/a/b.ts', true, true, true],
    ['src/**', 'src', true, false, true],
    ['**/a', 'a', true, true, true],
    ['**/a', 'x/y/a', true, true, true],
    ['a/**/b', 'a/b', true, true, true],
    ['{a,b}.ts', 'a.ts', true, false, false],
    ['[ab].ts', 'a.ts', false, true, true],
    ['[ab].ts', '[ab].ts', true, false, false],
    ['[!a].ts', 'b.ts', false, true, true],
    ['[[:digit:]]', '7', false, true, true],
    ['\\*.ts', '*.ts', true, true, true],
    ['\\*.ts', 'a.ts', true, false, false],
    ['a\\b', 'a/b', true, false, false],
    ['a?c', 'a😀c', true, true, true],
    ['.env', '.env', true, true, true],
    ['*', '.env', true, true, true],
    ['folder/', 'folder', true, false, true],
  ])('%s and %s: %s, %s, %s', (pattern, path, ...expected) => {
    expect([
      matchesGlob(pattern, path),
      isIgnored(pattern, path),
      matchesNames(parts(pattern), parts(path)),
    ]).toEqual(expected);
  });
});

describe('matchesGlob', () => {
  it.each([
    ['src/**', 'src/a/b.ts', true],
    ['src/**', 'src', true],
    ['**/*.ts', 'a.ts', true],
    ['**/*.ts', 'a/b/c.ts', true],
    ['src/*/x', 'src/a/x', true],
    ['src/*/x', 'src/a/b/x', false],
    ['**/test/**/*.{ts,tsx}', 'a/test/b/c.tsx', true],
    ['**/a/**/b', 'x/a/a/y/b', true],
    ['**/a/**/b', 'x/a/a/y/b/c', false],
    ['a?c', 'abc', true],
    ['a?c', 'ac', false],
    ['a**c', 'abbc', true],
    ['*', '', false],
    ['src', 'src/a', false],
    ['a.c', 'abc', false],
    ['[ab]', 'a', false],
    ['**', '', true],
    ['**/**/a', 'a', true],
    ['./a//b/', 'a/b', true],
    ['a\\b', 'a/b', true],
    [`${'a'.repeat(301)}`, 'a'.repeat(301), false],
    ['{a,b}{c,d}', 'bc', true],
    ['{a,b', '{a,b', true],
  ])('%s and %s: %s', (pattern, path, expected) => {
    expect(matchesGlob(pattern, path)).toBe(expected);
  });

  it('a pattern made to be slow is answered all the same', () => {
    expect(matchesGlob(`${'**/a/'.repeat(50)}b`, 'a/'.repeat(300))).toBe(false);
    expect(matchesGlob(`${'*a'.repeat(100)}b`, 'a'.repeat(250))).toBe(false);
    expect(matchesGlob(`${'**/*a*a*a*a*a*a*b/'.repeat(10)}b`, `${'a'.repeat(100)}/`.repeat(100))).toBe(false);
  });
});

it('never takes more steps than the product of the lengths', () => {
  let steps = 0;
  const fits = (part: string, element: string) => {
    steps += 1;
    return part === element;
  };
  const isStar = (part: string) => part === '*';
  expect(matchesWildcards(`${'*a'.repeat(40)}b`, 'a'.repeat(400), isStar, fits)).toBe(false);
  expect(steps).toBeLessThanOrEqual(81 * 400);
});

it('says the same as trying every reading', () => {
  const everyReading = (pattern: string, text: string): boolean => {
    if (pattern === '') return text === '';
    if (pattern[0] === '*')
      return Array.from({ length: text.length + 1 }, (_, i) => i).some((i) =>
        everyReading(pattern.slice(1), text.slice(i)),
      );
    return text !== '' && pattern[0] === text[0] && everyReading(pattern.slice(1), text.slice(1));
  };
  const words = (alphabet: string, most: number): string[] =>
    most === 0
      ? ['']
      : ['', ...words(alphabet, most - 1).flatMap((word) => [...alphabet].map((c) => word + c))];
  for (const pattern of new Set(words('ab*', 4)))
    for (const text of new Set(words('ab', 5)))
      expect(
        matchesWildcards(
          pattern,
          text,
          (c) => c === '*',
          (c, d) => c === d,
        ),
        `${pattern} and ${text}`,
      ).toBe(everyReading(pattern, text));
});
