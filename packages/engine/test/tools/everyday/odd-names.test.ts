/** Grep in every output mode over files with odd names: what is found is counted right and named. */
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { everyNth } from '@turnwright/test/long-form.ts';
import { type Call, place, runCalls } from '@turnwright/test/tools/everyday/run-calls.ts';
import { describe, expect, test } from 'vitest';

const NAMES = [
  'plain.txt',
  'new\nline.txt',
  '\nleading newline',
  'trailing newline\n',
  'colon:x.txt',
  'a:12:b.txt',
  'dash-12-x',
  '.hidden',
  '--',
  '-e',
  ' blanks  at ends ',
  '\ttab',
  `quote'".txt`,
  '[glob]{a,b}*?.txt',
  '!not',
  'back\\slash',
  'carriage\rreturn',
  'ünï 中文 🎉',
  'dollar$HOME`x`',
  `long-${'n'.repeat(240)}`,
];
/** Bytes that are no UTF-8. */
const NOT_UTF8 = Buffer.from([0x6e, 0xff, 0xe9, 0x2e, 0x74]);

/** Two matching lines, with a line before, between and after them. */
const TEXT = 'before\nneedle one\nbetween\nneedle two\nafter\n';

function furnished() {
  const at = place();
  mkdirSync(join(at.project, 'd'));
  for (const name of NAMES) writeFileSync(join(at.project, 'd', name), TEXT);
  writeFileSync(Buffer.concat([Buffer.from(join(at.project, 'd/')), NOT_UTF8]), TEXT);
  return at;
}

const FILES = NAMES.length;
const grep = (more: object): Call => ['Grep', { pattern: 'needle', path: 'd', head_limit: 0, ...more }];
const results = async (calls: readonly Call[]) => {
  const at = furnished();
  const { answers, messages } = await runCalls(calls, at);
  const data = messages.flatMap((message) =>
    message.type === 'user' && message.tool_use_result !== undefined ? [message.tool_use_result] : [],
  );
  return answers.map((answer, i) => ({
    ...answer,
    data: data[i] as { numFiles: number; numMatches?: number; numLines?: number },
  }));
};
const count = (text: string, part: string) => text.split(part).length - 1;

describe('every mode finds every file', () => {
  test('with the right numbers', async () => {
    const [names, counts, lines, bare, around, after, multi, only, page, rest] = await results([
      grep({ output_mode: 'files_with_matches' }),
      grep({ output_mode: 'count' }),
      grep({ output_mode: 'content' }),
      grep({ output_mode: 'content', '-n': false }),
      grep({ output_mode: 'content', '-C': 1 }),
      grep({ output_mode: 'content', '-A': 1, '-B': 0 }),
      grep({ output_mode: 'content', multiline: true, pattern: 'one.between' }),
      grep({ output_mode: 'content', '-o': true, pattern: 'needle (one|two)' }),
      grep({ output_mode: 'count', head_limit: 5 }),
      grep({ output_mode: 'count', head_limit: 0, offset: 5 }),
    ]);
    expect(names?.data.numFiles).toBe(FILES);
    // No text names the file whose name is no UTF-8, so it is counted apart, in every mode.
    for (const { text } of [names, counts, lines, bare, around, after, multi, only].flatMap(
      (each) => each ?? [],
    ))
      expect(text).toContain('One more file has a name that is not UTF-8.');
    expect(counts?.data).toMatchObject({ numFiles: FILES, numMatches: 2 * FILES });
    expect(lines?.data).toMatchObject({ numFiles: FILES, numLines: 2 * FILES });
    expect(count(lines?.text ?? '', ':2:needle one')).toBe(FILES);
    expect(bare?.data).toMatchObject({ numFiles: FILES, numLines: 2 * FILES });
    expect(around?.data.numFiles).toBe(FILES);
    for (const line of ['before', 'needle one', 'between', 'needle two', 'after'])
      expect(count(around?.text ?? '', line), line).toBe(FILES);
    expect(after?.data.numFiles).toBe(FILES);
    expect(count(after?.text ?? '', 'before')).toBe(0);
    expect(count(after?.text ?? '', 'after')).toBe(FILES);
    expect(multi?.data.numFiles).toBe(FILES);
    expect(count(multi?.text ?? '', 'between')).toBe(FILES);
    expect(only?.data).toMatchObject({ numFiles: FILES, numLines: 2 * FILES });
    expect(page?.data).toMatchObject({ numFiles: 5, numMatches: 10 });
    expect(rest?.data).toMatchObject({ numFiles: FILES - 5, numMatches: 2 * (FILES - 5) });
  });

  test.each(everyNth(4, NAMES))('of one file: %j', async (name) => {
    const at = place();
    writeFileSync(join(at.project, name), TEXT);
    const [listed, counted, shown] = (
      await runCalls(
        ['files_with_matches', 'count', 'content'].map(
          (output_mode): Call => ['Grep', { pattern: 'needle', output_mode }],
        ),
        at,
      )
    ).answers;
    expect(listed?.text).toBe(name);
    expect(counted?.text).toBe(`${name}:2\n\n2 matching lines in 1 files.`);
    expect(shown?.text).toBe(`${name}:2:needle one\n${name}:4:needle two`);
  });
});

test('the file system keeps all of these names', () => {
  const at = furnished();
  expect(readdirSync(join(at.project, 'd'))).toHaveLength(FILES + 1);
  expect(execFileSync('ls', [join(at.project, 'd')]).length).toBeGreaterThan(0);
});
