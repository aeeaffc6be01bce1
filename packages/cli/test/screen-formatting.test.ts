import { createStyle, wantsColor } from '@turnwright/terminal/text/style.ts';
import { oneLine, visible } from '@turnwright/terminal/text/visible.ts';
import { describe, expect, test } from 'vitest';
import { alwaysUpdates, describeCall, describeUpdates } from '../src/words/answers.ts';
import { answerOf, isOutOfRange } from '../src/words/questions.ts';
import { shortPath, toolLabel } from '../src/words/tool-label.ts';
import { counted, dollars, duration, percent, tokens } from '../src/words/units.ts';

describe('colours', () => {
  test.each([
    [{}, true, true],
    [{}, false, false],
    [{ TERM: 'dumb' }, true, false],
    [{ NO_COLOR: '1' }, true, false],
    [{ NO_COLOR: '' }, true, true],
    [{ NO_COLOR: '1', FORCE_COLOR: '1' }, true, false],
    [{ FORCE_COLOR: '1' }, false, true],
    [{ FORCE_COLOR: '0' }, true, false],
  ])('%o on a terminal: %s → %s', (env, isTerminal, expected) => {
    expect(wantsColor(env, isTerminal)).toBe(expected);
  });

  test('nothing is added when they are off', () => {
    expect(createStyle(false).red('x')).toBe('x');
    expect(createStyle(true).red('x')).toBe('\x1b[31mx\x1b[39m');
  });
});

test('hidden characters become visible, and stay so in one line', () => {
  expect(visible('\x00\x1b]0;title\x07\x7f\x9b')).toBe('␀␛]0;title␇␡<U+009B>');
  expect(visible('a\u200bb\u{e0041}')).toBe('a<U+200B>b<U+E0041>');
  expect(oneLine('  a\n b\tc ')).toBe('a ⏎ b c');
});

test('figures', () => {
  expect([duration(0.4), duration(999), duration(1_000), duration(61_000), duration(3_660_000)]).toEqual([
    '0 ms',
    '999 ms',
    '1.0 s',
    '1 min 1 s',
    '1 h 1 min',
  ]);
  expect([tokens(999), tokens(12_345), tokens(1_234_567)]).toEqual(['999', '12.3k', '1.23M']);
  expect([dollars(0.01234), dollars(12.3)]).toEqual(['$0.0123', '$12.30']);
  expect([percent(1, 3), percent(1, 0)]).toEqual(['33 %', '0 %']);
  expect([counted(1, 'turn'), counted(2, 'turn')]).toEqual(['1 turn', '2 turns']);
});

test('a call in a few words', () => {
  expect(toolLabel('Read', { file_path: '/home/me/app/src/a.js', limit: 3 }, '/home/me/app')).toBe(
    'Read src/a.js',
  );
  expect(toolLabel('Bash', { description: 'list', command: 'ls\n-l' }, '/')).toBe('Bash ls ⏎ -l');
  expect(toolLabel('TodoWrite', { todos: [1, 2] }, '/')).toBe('TodoWrite 2 items');
  expect(toolLabel('mcp__x__y', { n: 1, who: 'me' }, '/')).toBe('mcp__x__y me');
  expect(toolLabel('Odd\x1b', {}, '/')).toBe('Odd␛');
  expect(shortPath('/home/me/other/a', { cwd: '/home/me/app' })).toBe('/home/me/other/a');
  expect(shortPath('/home/me/app/..a', { cwd: '/home/me/app' })).toBe('..a');
});

const ACCEPT = { type: 'setMode', mode: 'acceptEdits', destination: 'session' } as const;

describe('the permission question', () => {
  test('shows the whole call', () => {
    const long = `echo ${'x'.repeat(5_000)}\nrm -rf /`;
    expect(describeCall({ command: long })).toBe(long);
    expect(describeCall({ file_path: 'a', n: { deep: '\u202e' } })).toBe(
      'file_path: a\nn: {"deep":"<U+202E>"}',
    );
  });

  test('no value can pass for a field', () => {
    expect(describeCall({ content: 'x\nfile_path: safe.txt', file_path: '/etc/passwd' })).toBe(
      'content:\n  x\n  file_path: safe.txt\nfile_path: /etc/passwd',
    );
  });

  test('"always" adds what the engine suggests, and is not offered where that is nothing', () => {
    expect(alwaysUpdates({ file_path: 'a' }, { suggestions: [ACCEPT] })).toEqual([ACCEPT]);
    for (const context of [{}, { suggestions: [] }])
      expect(alwaysUpdates({ command: 'ls | sh; x' }, context)).toBeUndefined();
  });

  test('rules for a command are enough without the folders and modes suggested beside them', () => {
    const rules = [{ toolName: 'Bash', ruleContent: 'mkdir d' }];
    const rule = { type: 'addRules', rules, behavior: 'allow', destination: 'localSettings' } as const;
    const folder = { type: 'addDirectories', directories: ['/p'], destination: 'session' } as const;
    const suggestions = [rule, folder, ACCEPT];
    expect(alwaysUpdates({ command: 'mkdir d' }, { suggestions })).toEqual([rule]);
    expect(alwaysUpdates({ command: 'mkdir d 2>&1 >/dev/null' }, { suggestions })).toEqual([rule]);
    expect(alwaysUpdates({ command: 'mkdir d > x' }, { suggestions })).toEqual(suggestions);
    expect(describeUpdates(suggestions)).toBe(
      'Bash(mkdir d), kept in the local settings; the working directory /p for this session; the mode accept edits for this session',
    );
  });
});

describe('questions', () => {
  const options = [{ label: 'Red' }, { label: 'Green' }];
  test.each([
    ['2', false, 'Green'],
    ['1, 2', true, 'Red, Green'],
    ['1 2', false, '1 2'],
    ['3', false, '3'],
    [' blue ', false, 'blue'],
    ['', true, ''],
  ])('%j (several: %s) → %j', (typed, multiSelect, expected) => {
    expect(answerOf(typed, { options, multiSelect })).toBe(expected);
  });

  test.each([
    ['9', true],
    ['0, 1', true],
    ['2', false],
    ['9 lives', false],
  ])('%j is no choice: %s', (typed, expected) => {
    expect(isOutOfRange(typed, { options })).toBe(expected);
  });
});
