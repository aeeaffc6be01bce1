/** Files whose lines end with CR alone: shown line by line, and edited without a change of their line ends. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { place, runCalls } from '@turnwright/test/tools/everyday/run-calls.ts';
import { expect, test } from 'vitest';

test('Read shows their lines, Edit replaces over them and keeps their ends', async () => {
  const at = place();
  const file_path = join(at.project, 'old.txt');
  writeFileSync(file_path, 'one\rtwo\rthree\rtwo\r');
  const { answers } = await runCalls(
    [
      ['Read', { file_path }],
      ['Read', { file_path, offset: 2, limit: 1 }],
      ['Edit', { file_path, old_string: 'one\ntwo', new_string: 'eins\nzwei\nhalb' }],
      ['Edit', { file_path, old_string: 'three\r\n', new_string: 'drei\r\n' }],
      ['Edit', { file_path, old_string: '\ntwo\n', new_string: '\n' }],
      ['Edit', { file_path, old_string: 'zwei', new_string: 'zwo' }],
    ],
    at,
  );
  expect(answers.map(({ isError }) => isError)).toEqual(answers.map(() => false));
  expect(answers[0]?.text).toContain('1\tone\n2\ttwo\n3\tthree\n4\ttwo');
  expect(answers[1]?.text).toMatch(/^2\ttwo(\n|$)/);
  expect(readFileSync(file_path, 'utf8')).toBe('eins\rzwo\rhalb\rdrei\r');
});

test('a return within a file of other line ends stays what it is', async () => {
  const at = place();
  const file_path = join(at.project, 'mixed.txt');
  writeFileSync(file_path, 'a\rb\nc\n');
  const { answers } = await runCalls(
    [
      ['Read', { file_path }],
      ['Edit', { file_path, old_string: 'c', new_string: 'd' }],
    ],
    at,
  );
  expect(answers[1]?.isError).toBe(false);
  expect(readFileSync(file_path, 'utf8')).toBe('a\rb\nd\n');
});
