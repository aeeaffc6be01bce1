import { expect, test } from 'vitest';
import { diffRows } from '../../src/markup/diff-rows.ts';
import { createHighlighter } from '../../src/markup/highlight.ts';
import { withoutSgr } from '../../src/text/sgr.ts';
import { createTheme } from '../../src/text/theme.ts';

const plain = createTheme('none');

test('an edit is shown with line numbers, the old ones of what it removes', () => {
  const before = 'one\ntwo\nthree\nfour\n';
  expect(diffRows({ before, after: 'one\n2\nthree\nfour\n' }, 40, plain)).toEqual([
    '1   one',
    '2 - two',
    '2 + 2',
    '3   three',
    '4   four',
  ]);
});

test('parts of a patch are separated, and long lines go on below their text', () => {
  const hunks = [
    { oldStart: 1, newStart: 1, lines: [' a', '+new words here'] },
    { oldStart: 98, newStart: 99, lines: ['-last', '\\ No newline at end of file'] },
  ];
  expect(diffRows(hunks, 15, plain)).toEqual([
    '  1   a',
    '  2 + new words',
    '      here',
    '    ⋮',
    ' 98 - last',
    '    \\  No',
    '      newline',
    '      at end of',
    '      file',
  ]);
});

test('code in it has its colours, each side as a piece of its own, on the background of what changes', async () => {
  const theme = createTheme('dark');
  const highlighter = createHighlighter(theme);
  await highlighter.load();
  const hunk = { oldStart: 1, newStart: 1, lines: [' const a = 1;', '-/* old', '-*/', '+// new', ' let b;'] };
  const rows = diffRows([hunk], 40, theme, () => highlighter.begin('ts'));
  const comment = (text: string) => `\x1b[38;5;245m${text}\x1b[39m`;
  expect(rows.map(withoutSgr)).toEqual([
    '1   const a = 1;',
    '2 - /* old',
    '3 - */',
    '2 + // new',
    '3   let b;',
  ]);
  expect(rows.slice(1, 4)).toEqual([
    `\x1b[2m2\x1b[22m \x1b[48;5;52m- ${comment('/* old')}\x1b[49m`,
    `\x1b[2m3\x1b[22m \x1b[48;5;52m- ${comment('*/')}\x1b[49m`,
    `\x1b[2m2\x1b[22m \x1b[48;5;22m+ ${comment('// new')}\x1b[49m`,
  ]);
  expect(rows[4]).toContain('\x1b[38;5;176mlet\x1b[39m');
});

test('the colours are those of the theme, and no sequence of the file passes', () => {
  expect(diffRows({ before: '', after: '\x1b[2Jx\n' }, 40, createTheme('basic'))).toEqual([
    '\x1b[2m1\x1b[22m \x1b[32m+ ␛[2Jx\x1b[39m',
  ]);
});
