import { expect, it } from 'vitest';
import { RankedPaths } from '../../src/engine/host/file-suggestions.ts';

const PATHS = [
  'src/',
  'src/engine/',
  'README.md',
  'src/engine/config.ts',
  'src/cli/args.ts',
  'docs/config.md',
];

it.each([
  ['', ['src/', 'README.md']],
  ['config', ['docs/config.md', 'src/engine/config.ts']],
  ['engine', ['src/engine/', 'src/engine/config.ts']],
  ['src/c', ['src/cli/args.ts', 'src/engine/config.ts']],
  ['./READ', ['README.md']],
  ['cfg', ['docs/config.md', 'src/engine/config.ts']],
  ['zzz', []],
])('%j means %j', (query, expected) => {
  expect(new RankedPaths(PATHS).best(query, 9)).toEqual(expected);
});

it('of many that match as well the shortest are kept, in the order of the alphabet', () => {
  const many = Array.from({ length: 500 }, (_, at) => `src/view-${at}.ts`);
  expect(new RankedPaths(many).best('view', 3)).toEqual(['src/view-0.ts', 'src/view-1.ts', 'src/view-2.ts']);
  expect(new RankedPaths(many.toReversed()).best('VIEW-49', 4)).toEqual([
    'src/view-49.ts',
    'src/view-490.ts',
    'src/view-491.ts',
    'src/view-492.ts',
  ]);
});
