/** Sentences of the live view are broken between words, also while they stream. */
import { describe, expect, test } from 'vitest';
import { createWordWrap } from '../../src/cli/words/word-wrap.ts';
import { fakeScreen } from './fake-screen.ts';

const TEXT =
  'The test fails because add subtracts: 出力 of two.\n\n    indented  code\n```\nconst veryLongLineOfCode = add(1, 2);\n```\nSupercalifragilisticexpialidocious\n';
const ROWS = [
  'The test fails',
  'because add',
  'subtracts: 出力 of',
  'two.',
  '',
  '    indented  code',
  '```',
  'const veryLongLineOfCode = add(1, 2);',
  '```',
  'Supercalifragilisticexpialidocious',
  '',
];

describe('text that streams', () => {
  test.each([1, 3, 1_000])('in pieces of %d characters has its words whole, and code as it is', (size) => {
    const wrap = createWordWrap(() => 18);
    let out = '';
    for (let at = 0; at < TEXT.length; at += size) out += wrap.add(TEXT.slice(at, at + size));
    expect((out + wrap.end()).split('\n')).toEqual(ROWS);
  });

  test('the beginning of a word waits for its end, and no longer', () => {
    const wrap = createWordWrap(() => 80);
    expect(wrap.add('One wo')).toBe('One');
    expect(wrap.add('rd')).toBe('');
    expect(wrap.add(' ')).toBe(' word');
    expect(wrap.add('more')).toBe('');
    expect(wrap.end()).toBe(' more');
  });
});

describe('the live view', () => {
  const long = 'A sentence that is longer than one line of this window is wide.';

  test('breaks sentences between words where a person watches', async () => {
    const { terminal, seen } = fakeScreen({ live: true, columns: 30 });
    await terminal.write('Now I look at the whole of the project');
    await terminal.prose(long);
    expect(seen()).toEqual([
      'Now I look at the whole of the',
      'project',
      'A sentence that is longer than',
      '  one line of this window is',
      '  wide.',
    ]);
  });

  test('leaves lines whole in files and pipes', async () => {
    const { terminal, raw } = fakeScreen({ columns: 30 });
    await terminal.write('Now I look at the whole of the project');
    await terminal.prose(long);
    expect(raw()).toBe(`Now I look at the whole of the project\n${long}\n`);
  });
});
