import { expect, it } from 'vitest';
import { rankPaths } from '../../src/engine/host/file-suggestions.ts';

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
  expect(rankPaths(PATHS, query, 9)).toEqual(expected);
});
