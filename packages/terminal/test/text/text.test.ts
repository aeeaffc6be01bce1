/** Widths, cutting, wrapping and the sanitiser, as everything on the screen uses them. */

import { anyText } from '@turnwright/test/any-text.ts';
import { inShortAndLongForm } from '@turnwright/test/long-form.ts';
import fc from 'fast-check';
import { wrapAnsi } from 'fast-wrap-ansi';
import stringWidth from 'string-width';
import { afterEach, describe, expect, test } from 'vitest';
import { COMMON_WIDTHS, cells, cutRow, setWidths } from '../../src/text/cells.ts';
import { clean } from '../../src/text/clean.ts';
import { withoutSgr } from '../../src/text/sgr.ts';
import { wrap } from '../../src/text/wrap.ts';

afterEach(() => setWidths(COMMON_WIDTHS));

describe('widths', () => {
  test('count cells, not code units', () => {
    expect(cells('abc')).toBe(3);
    expect(cells('日本')).toBe(4);
    expect(['\u20e3', ' \u20e3', '1\u20e3'].map(cells)).toEqual([0, 1, 2]);
    expect(cells('👩‍👩‍👧é')).toBe(3);
    expect(cells('\x1b[1;38;5;110m日\x1b[0m本')).toBe(4);
  });

  test('of emoji are those that the terminal showed', () => {
    const clusters = ['👍🏽', '❤️', '1️⃣', '👨‍👩‍👧', '👍', '🇩🇪', '日', 'नि'];
    expect(clusters.map(cells)).toEqual([2, 2, 2, 2, 2, 2, 2, 2]);
    setWidths({ emoji: 2, joinsSkinTone: false, joinsFamily: true, variation: 1, keycap: 1 });
    expect(clusters.map(cells)).toEqual([4, 1, 1, 2, 2, 2, 2, 2]);
    setWidths({ emoji: 1, joinsSkinTone: false, joinsFamily: false, variation: 1, keycap: 1 });
    expect(clusters.map(cells)).toEqual([2, 1, 1, 3, 1, 2, 2, 2]);
  });

  test('are what string-width counts, for every character up to the symbols of Japanese', () => {
    const different: string[] = [];
    for (let point = 0xa1; point < 0x3100; point += 1) {
      const sign = String.fromCharCode(point);
      if (cells(sign) !== stringWidth(sign)) different.push(point.toString(16));
    }
    expect(different).toEqual([]);
  });

  test('a row is cut between clusters, with an ellipsis, and its colours end there', () => {
    expect(cutRow('日本語です', 6)).toBe('日本…');
    expect(cutRow('short', 10)).toBe('short');
    expect(cutRow('anything', 0)).toBe('');
    expect(cutRow('ab👨‍👩‍👧cd', 4)).toBe('ab…');
    expect(cutRow('\x1b[31mred text\x1b[39m and more', 5)).toBe('\x1b[31mred …\x1b[0m');
  });
});

describe('wrapping', () => {
  test('breaks at blanks; later rows hang below the first', () => {
    expect(wrap('  1  Red: hot, and more', 14, { hang: '     ' })).toEqual([
      '  1  Red: hot,',
      '     and more',
    ]);
    expect(wrap('日本 日本 x', 6)).toEqual(['日本', '日本 x']);
    expect(wrap('a\n\nb', 5)).toEqual(['a', '', 'b']);
  });

  test('a word that is wider than a row is broken between its clusters', () => {
    expect(wrap('unbreakable', 5)).toEqual(['unbre', 'akabl', 'e']);
    expect(wrap('👨‍👩‍👧👨‍👩‍👧👨‍👩‍👧', 5)).toEqual(['👨‍👩‍👧👨‍👩‍👧', '👨‍👩‍👧']);
  });

  test('wide text breaks anywhere, but never before a closing mark', () => {
    expect(wrap('日本語、です。', 6)).toEqual(['日本', '語、で', 'す。']);
  });

  test('colours go on over a break, and every row ends plain', () => {
    expect(wrap('a \x1b[1;31mred text\x1b[0m b', 5)).toEqual([
      'a \x1b[1;31mred\x1b[0m',
      '\x1b[1;31mtext\x1b[0m',
      'b',
    ]);
    expect(wrap('\x1b[38;5;110mone\ntwo\x1b[39m', 9)).toEqual([
      '\x1b[38;5;110mone\x1b[0m',
      '\x1b[38;5;110mtwo\x1b[39m',
    ]);
  });

  test('no row is wider than asked, and no word is lost', () => {
    const word = fc.oneof(
      fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
      fc.constantFrom('👍🏽', '日本語', '\x1b[31m', '\x1b[39m', '\x1b[0m', '一、二'),
    );
    fc.assert(
      fc.property(fc.array(word), fc.integer({ min: 4, max: 40 }), (words, columns) => {
        const text = clean(words.join(' '), 'sgr').replaceAll('\n', ' ');
        const rows = wrap(text, columns);
        for (const row of rows) expect(cells(row)).toBeLessThanOrEqual(columns);
        const letters = (all: string) => withoutSgr(all).replaceAll(' ', '');
        expect(letters(rows.join(''))).toBe(letters(text));
      }),
      { numRuns: inShortAndLongForm(200, 1_000) },
    );
  });

  test('of plain words it gives what fast-wrap-ansi gives', () => {
    fc.assert(
      fc.property(
        fc.array(fc.stringMatching(/^[a-z.,-]{1,9}$/), { minLength: 1 }),
        fc.integer({ min: 10, max: 60 }),
        (words, columns) => {
          const text = words.join(' ');
          expect(wrap(text, columns).join('\n')).toBe(wrapAnsi(text, columns, { hard: true }));
        },
      ),
      { numRuns: inShortAndLongForm(200, 1_000) },
    );
  });

  test('a word in several colours is not broken between them', () => {
    const link = '(\x1b[4mhttps://example.org\x1b[24m),';
    expect(wrap(`see the page ${link} then go`, 24)).toEqual(['see the page', link, 'then go']);
    expect(wrap(`at\x1b[1mbold\x1b[22m`, 4)).toEqual(['at\x1b[1m\x1b[0m', '\x1b[1mbold\x1b[22m']);
  });
});

describe('the sanitiser', () => {
  test('shows what would drive the terminal or hide text', () => {
    expect(clean('\x1b]52;c;aGk=\x07a\x9bb\u202ec')).toBe('␛]52;c;aGk=␇a<U+009B>b<U+202E>c');
    expect(clean('a\u200bb\u{e0041}\ud800')).toBe('a<U+200B>b<U+E0041>\ufffd');
    expect(clean('plain\ntext ✓ 日本 👩‍👩‍👧')).toBe('plain\ntext ✓ 日本 👩‍👩‍👧');
  });

  test('what is taken for harmless at a glance is what the whole examination leaves', () => {
    const others: number[] = [];
    for (let code = 0; code < 0xd800; code += 1) {
      const character = String.fromCharCode(code);
      // The character behind it is not harmless at a glance.
      if (clean(`${character}\u{10000}`) !== `${clean(character)}\u{10000}`) others.push(code);
    }
    expect(others).toEqual([]);
  });

  test('keeps the colours of commands, and drops their other sequences', () => {
    expect(clean('\x1b[1;38;5;208mwarn\x1b[0m \x1b[2K\x1b[3Aup\x1b]0;title\x07!\x1bP1$q\x1b\\', 'sgr')).toBe(
      '\x1b[1;38;5;208mwarn\x1b[0m up!',
    );
    expect(clean('\x9b31mred\x1b[m', 'sgr')).toBe('\x1b[31mred\x1b[0m');
  });

  test('nothing becomes invisible by a colour sequence', () => {
    expect(clean('\x1b[8mhidden\x1b[5;6mblinks\x1b[31;8mred', 'sgr')).toBe('hiddenblinks\x1b[31mred');
    expect(clean('\x1b[38;5;999mx\x1b[99999999m', 'sgr')).toBe('x');
  });

  test('a sequence without an end is shown, with everything after it', () => {
    expect(clean('\x1b]0;never ends', 'sgr')).toBe('␛]0;never ends');
    expect(clean('\x1b[31', 'sgr')).toBe('␛[31');
  });

  test('of a line that is written again and again the last writing is shown', () => {
    expect(clean('10 %\r50 %\r100 %\r\nnext\r', 'sgr')).toBe('100 %\nnext␍');
  });

  test('tabs become blanks up to the next stop', () => {
    expect(clean('a\tb\n\t\x1b[31mc\x1b[39m\td', 'sgr')).toBe('a       b\n        \x1b[31mc\x1b[39m       d');
  });

  test('after it no control character is left, whatever came', () => {
    const piece = fc.oneof(
      anyText(),
      fc.constantFrom('\x1b[', '\x1b]', '\x9b', '\x1bP', '\x07', '\x1b\\', '31m', '2J', '\u202e', '\r'),
    );
    fc.assert(
      fc.property(fc.array(piece), (pieces) => {
        for (const keep of ['sgr', undefined] as const) {
          const cleaned = clean(pieces.join(''), keep).replaceAll('\n', '');
          expect(keep === 'sgr' ? withoutSgr(cleaned) : cleaned).not.toMatch(/\p{Cc}/u);
        }
      }),
      { numRuns: inShortAndLongForm(300, 2_000) },
    );
  });
});
