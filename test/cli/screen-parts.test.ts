import { describe, expect, test } from 'vitest';
import { alwaysUpdates, describeCall, describeUpdates, readAnswer } from '../../src/cli/screen/ask.ts';
import { answerOf, askQuestions } from '../../src/cli/screen/ask-questions.ts';
import { createStyle, wantsColor } from '../../src/cli/screen/style.ts';
import { shortPath, toolLabel } from '../../src/cli/screen/tool-label.ts';
import { counted, dollars, duration, percent, tokens } from '../../src/cli/screen/units.ts';
import { oneLine, visible } from '../../src/cli/screen/visible.ts';
import { cutToWidth, displayWidth, wrapped } from '../../src/cli/screen/width.ts';

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

test('widths count columns, not code units', () => {
  expect(displayWidth('abc')).toBe(3);
  expect(displayWidth('日本')).toBe(4);
  expect(displayWidth('👩‍👩‍👧é')).toBe(3);
  expect(cutToWidth('日本語です', 6)).toBe('日本…');
  expect(cutToWidth('short', 10)).toBe('short');
  expect(cutToWidth('anything', 0)).toBe('');
});

test('long lines are broken at blanks, and set in', () => {
  expect(wrapped('  1  Red: hot, and more', 14, 5)).toBe('  1  Red: hot,\n     and more');
  expect(wrapped('日本 日本 x', 6, 0)).toBe('日本\n日本 x');
  expect(wrapped('unbreakable\n\nline', 5, 2)).toBe('unbreakable\n\nline');
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
  expect(shortPath('/home/me/other/a', '/home/me/app')).toBe('/home/me/other/a');
  expect(shortPath('/home/me/app/..a', '/home/me/app')).toBe('..a');
});

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

  test('answers: a word, and for a no the reason', () => {
    const always = alwaysUpdates('Bash', {});
    expect(readAnswer(' Y ', always)).toEqual({ behavior: 'allow' });
    expect(readAnswer('always', always)).toEqual({ behavior: 'allow', updatedPermissions: always });
    expect(readAnswer('no', always)).toEqual({
      behavior: 'deny',
      message: 'The user does not allow this call.',
    });
    expect(readAnswer('n, use rg', always)).toMatchObject({
      behavior: 'deny',
      message: 'The user does not allow this call. They say: use rg',
    });
    for (const unclear of ['', 'yes but', 'maybe']) expect(readAnswer(unclear, always)).toBeUndefined();
    expect(readAnswer('a', undefined)).toBeUndefined();
  });

  test('"always" adds what the engine suggests, else the tool for this session', () => {
    const own = alwaysUpdates('Bash', {});
    expect(own).toEqual([
      { type: 'addRules', rules: [{ toolName: 'Bash' }], behavior: 'allow', destination: 'session' },
    ]);
    const suggestions = [{ type: 'setMode', mode: 'acceptEdits', destination: 'session' }] as const;
    expect(alwaysUpdates('Edit', { suggestions })).toEqual(suggestions);
    expect(describeUpdates([...own, ...suggestions])).toBe('Bash; mode acceptEdits');
    const rules = [{ toolName: 'Bash', ruleContent: 'git log:*' }];
    expect(describeUpdates([{ type: 'addRules', rules, behavior: 'allow', destination: 'session' }])).toBe(
      'Bash(git log:*)',
    );
  });

  test('exact rules are kept in the local settings', () => {
    const rules = [{ toolName: 'Bash', ruleContent: 'npm test' }];
    const exact = { type: 'addRules', rules, behavior: 'allow', destination: 'session' } as const;
    const always = alwaysUpdates('Bash', { suggestions: [exact] });
    expect(always).toEqual([{ ...exact, destination: 'localSettings' }]);
    expect(describeUpdates(always)).toBe('Bash(npm test), kept in the local settings');
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

  test('numbered choices are shown; an empty line answers nothing', async () => {
    const shown: string[] = [];
    const typed = ['2', ''];
    const input = {
      questions: [
        { question: 'Which?', options: [{ label: 'Red', description: 'Hot.' }, { label: 'Green' }] },
        { question: 'Sure?', options },
      ],
    };
    const answer = await askQuestions(input, {
      question: async () => typed.shift() ?? '',
      line: (text) => void shown.push(text),
      columns: 80,
      style: createStyle(false),
    });
    expect(answer).toEqual({ behavior: 'allow', updatedInput: { ...input, answers: { 'Which?': 'Green' } } });
    expect(shown.slice(0, 3)).toEqual(['? Which?', '  1  Red: Hot.', '  2  Green']);
  });
});
