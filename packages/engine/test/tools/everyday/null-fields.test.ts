/** Models write `null` for a field that they do not give: it counts as absent, and only where it can be. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Call, place, runCalls } from '@turnwright/test/tools/everyday/run-calls.ts';
import { expect, test } from 'vitest';

test('null for a field that may be left out', async () => {
  const at = place();
  writeFileSync(join(at.project, 'a.txt'), 'one\ntwo\n');
  const file_path = join(at.project, 'a.txt');
  const todo = { content: 'Look.', status: 'pending', activeForm: 'Looking' };
  const calls: readonly (readonly [...Call, says: string])[] = [
    ['Read', { file_path, offset: null, limit: null }, 'two'],
    ['Grep', { pattern: 'one', path: null, type: null, glob: null, '-i': null, head_limit: null }, 'a.txt'],
    ['Glob', { pattern: '*.txt', path: null }, 'a.txt'],
    ['Edit', { file_path, old_string: 'one', new_string: 'eins', replace_all: null }, 'was edited'],
    ['Bash', { command: 'echo said', timeout: null, description: null, run_in_background: null }, 'said'],
    ['TodoWrite', { todos: [todo] }, ''],
  ];
  const { answers } = await runCalls(
    calls.map(([tool, input]): Call => [tool, input]),
    at,
  );
  expect(answers.map(({ isError }) => isError)).toEqual(calls.map(() => false));
  for (const [at, [, , says]] of calls.entries()) expect(answers[at]?.text).toContain(says);
});

test('null for a field that is required is refused', async () => {
  const { answers } = await runCalls([['Read', { file_path: null }]], place());
  expect(answers[0]).toMatchObject({ isError: true, text: expect.stringContaining('file_path') });
});
