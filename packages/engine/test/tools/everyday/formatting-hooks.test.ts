/** Hooks that change the files of a session, as formatters do: the next edit works, and the model is told. */
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Call, place, runCalls } from '@turnwright/test/tools/everyday/run-calls.ts';
import { describe, expect, test } from 'vitest';
import type { HookCallback, HookEvent, Options } from '../../../src/index.ts';

const read: Call = ['Read', { file_path: 'f.txt' }];
const edit = (old_string: string, new_string: string): Call => [
  'Edit',
  { file_path: 'f.txt', old_string, new_string },
];
const write = (content: string): Call => ['Write', { file_path: 'f.txt', content }];

/** Hooks of an event that run once for each of its calls of a tool. */
const on = (event: HookEvent, change: () => void, tool = /Edit|Write/): Options => {
  const hook: HookCallback = async (input) => {
    if (!('tool_name' in input) || tool.test(String(input.tool_name))) change();
    return {};
  };
  return { hooks: { [event]: [{ hooks: [hook] }] } };
};

function furnished(text = 'a\nb\nc\n') {
  const at = place();
  const path = join(at.project, 'f.txt');
  writeFileSync(path, text);
  /** Puts a blank behind every line that has none. */
  const format = () => writeFileSync(path, readFileSync(path, 'utf8').replace(/(?<! )$(?=\n)/gm, ' '));
  return { ...at, path, format, text: () => readFileSync(path, 'utf8') };
}

const errors = (answers: readonly { isError: boolean }[]) => answers.map(({ isError }) => isError);

describe('a formatter', () => {
  test('of a PostToolUse command hook: the next Edit and Write work, and the change was shown', async () => {
    const at = furnished();
    const settings = {
      hooks: {
        PostToolUse: [
          { matcher: 'Edit|Write', hooks: [{ type: 'command', command: `sed -i 's/ *$/ /' f.txt` }] },
        ],
      },
    };
    const { answers, sent } = await runCalls([read, edit('a', 'A'), edit('b', 'B'), write('new\n')], at, {
      settings,
    });
    expect(errors(answers)).toEqual([false, false, false, false]);
    expect(at.text()).toBe('new \n');
    expect(sent).toMatch(/A hook of this session.*changed .*f\.txt/);
    expect(sent).toContain('+A ');
    expect(sent).not.toContain('changed on disk after you last');
  });

  test.each<HookEvent>(['PreToolUse', 'PostToolUse', 'PostToolBatch'])('of a %s callback', async (event) => {
    const at = furnished();
    const { answers } = await runCalls([read, edit('a', 'A'), edit('b', 'B')], at, on(event, at.format));
    expect(errors(answers)).toEqual([false, false, false]);
    expect(at.text()).toMatch(/^A ?\nB ?\nc ?\n$/);
  });

  test('between two edits of one answer', async () => {
    const at = furnished();
    const { answers } = await runCalls(
      [read, [edit('a', 'A'), edit('b', 'B')], edit('c', 'C')],
      at,
      on('PostToolUse', at.format),
    );
    expect(errors(answers)).toEqual([false, false, false, false]);
    expect(at.text()).toBe('A \nB \nC \n');
  });

  test('that changes another file that was read', async () => {
    const at = furnished();
    const other = join(at.project, 'g.txt');
    writeFileSync(other, 'one\ntwo\n');
    const hook = on('PostToolUse', () => appendFileSync(other, 'by hook\n'), /Edit/);
    const { answers, sent } = await runCalls(
      [
        ['Read', { file_path: 'g.txt' }],
        edit('a', 'A'),
        ['Edit', { file_path: 'g.txt', old_string: 'one', new_string: '1' }],
      ],
      at,
      hook,
    );
    expect(errors(answers)).toEqual([false, false, false]);
    expect(sent).toContain('+by hook');
  });
});

describe('what is still refused', () => {
  test('Write in the answer of the edit: the model has not seen what the hook did', async () => {
    const at = furnished();
    const { answers } = await runCalls(
      [read, [edit('a', 'A'), write('new')]],
      at,
      on('PostToolUse', at.format, /Edit/),
    );
    expect(errors(answers)).toEqual([false, false, true]);
    expect(answers[2]?.text).toMatch(/has changed since it was read/);
    expect(at.text()).toBe('A \nb \nc \n');
  });

  test('Write after a change that is too long to be shown, and Edit goes on', async () => {
    const at = furnished();
    const many = Array.from({ length: 3000 }, (_, i) => `line ${i}\n`).join('');
    let once = false;
    const grow = () => {
      if (!once) appendFileSync(at.path, many);
      once = true;
    };
    const { answers } = await runCalls(
      [read, edit('a', 'A'), edit('line 7\n', 'LINE 7\n'), write('new'), read, write('new')],
      at,
      on('PostToolUse', grow),
    );
    expect(errors(answers)).toEqual([false, false, false, true, false, false]);
  });

  test('Edit of a file that another program changed', async () => {
    const at = furnished();
    const { answers } = await runCalls(
      [read, ['Bash', { command: `echo d >> f.txt` }], edit('a', 'A'), read, edit('a', 'A')],
      at,
      on('PostToolUse', () => {}),
    );
    expect(errors(answers)).toEqual([false, false, true, false, false]);
  });

  test('old text that is not unique any more', async () => {
    const at = furnished();
    const { answers } = await runCalls(
      [read, edit('a', 'A'), edit('b', 'B')],
      at,
      on('PostToolUse', () => appendFileSync(at.path, 'b\n')),
    );
    expect(answers[2]).toMatchObject({ isError: true, text: expect.stringMatching(/occurs \d times/) });
  });
});
