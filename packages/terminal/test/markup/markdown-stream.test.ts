/** Markdown as it streams: what is shown of it, and when a block is finished. */

import { inShortAndLongForm } from '@turnwright/test/long-form.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createHighlighter } from '../../src/markup/highlight.ts';
import { createMarkdown, markdownRows } from '../../src/markup/markdown-stream.ts';
import { cells } from '../../src/text/cells.ts';
import { withoutSgr } from '../../src/text/sgr.ts';
import { createTheme } from '../../src/text/theme.ts';

const plain = createTheme('none');
const options = { theme: plain, highlighter: createHighlighter(plain) };
const rows = (text: string, columns = 40) => markdownRows(text, columns, options);

describe('blocks', () => {
  test('paragraphs are wrapped, with an empty row where the text has one or more', () => {
    expect(rows('First line\nof a paragraph that is long enough.\n\n\nSecond.')).toEqual([
      'First line of a paragraph that is long',
      'enough.',
      '',
      'Second.',
    ]);
  });

  test('headings, rules and hard line breaks', () => {
    expect(rows('# One #\ntext  \nbreak\n\nTwo\n===\n\n***\n')).toEqual([
      'One',
      'text',
      'break',
      '',
      'Two',
      '',
      '─'.repeat(24),
    ]);
  });

  test('lists keep their numbers and depth, and hang below their mark', () => {
    const list =
      '1. one\n2. two is long enough to need another row\n   - inner\n   - [x] done\n\n3. three\n\n   more of three\n\nend';
    expect(rows(list, 30)).toEqual([
      '1. one',
      '2. two is long enough to need',
      '   another row',
      '   • inner',
      '   • ☑ done',
      '',
      '3. three',
      '',
      '   more of three',
      '',
      'end',
    ]);
  });

  test('a fence keeps its lines as they are, wider than the window too, and within a list', () => {
    const long = 'x'.repeat(60);
    expect(rows(`Look:\n\`\`\`ts\n  a;\n\n# ${long}\n\`\`\`\n- item\n\n  ~~~\n  b\n  ~~~\n`)).toEqual([
      'Look:',
      '',
      '```ts',
      '  a;',
      '',
      `# ${long}`,
      '```',
      '',
      '• item',
      '',
      '  ~~~',
      '  b',
      '  ~~~',
    ]);
  });

  test('quotes are marked', () => {
    expect(rows('> a *quote*\n> - item\n')).toEqual(['│ a quote', '│ • item']);
  });

  test('a table fits the width: its widest columns are wrapped', () => {
    const table = '| name | what |\n|---|---:|\n| a | does many things at once |\n| b | `x\\|y` |\n';
    expect(rows(table, 60)).toEqual([
      'name                      what',
      '────  ────────────────────────',
      'a     does many things at once',
      'b                          x|y',
    ]);
    expect(rows(table, 20)).toEqual([
      'name            what',
      '────  ──────────────',
      'a          does many',
      '      things at once',
      'b                x|y',
    ]);
    expect(rows('| a | b | c |\n|-|-|-|\n| one thing | second | 3 |\n', 12)).toEqual([
      'a: one thing',
      'b: second',
      'c: 3',
    ]);
  });
});

describe('inside of a line', () => {
  test('links show where they lead', () => {
    expect(rows('[here](https://a.example/x) and <https://b.example>', 80)).toEqual([
      'here (https://a.example/x) and https://b.example',
    ]);
  });

  test('styles are those of the theme, and no sequence of the text passes', () => {
    const theme = createTheme('basic');
    expect(markdownRows('**bold** `co\x1b[2Jde` \x1b]0;x\x07', 60, { ...options, theme })).toEqual([
      '\x1b[1mbold\x1b[22m \x1b[33mco␛[2Jde\x1b[39m ␛]0;x␇',
    ]);
  });
});

describe('as it streams', () => {
  test('a block is given once it is finished, lines of an open fence at once', () => {
    const stream = createMarkdown(options);
    stream.push('Some **bold');
    expect(stream.takeClosed(40)).toEqual([]);
    expect(stream.open(40, 3)).toEqual(['Some **bold']);
    stream.push('** text.\n\n- one\n- tw');
    expect(stream.takeClosed(40)).toEqual(['Some bold text.']);
    expect(stream.open(40, 3)).toEqual(['', '• one', '• tw']);
    stream.push('o\n```js\nlet a;\nlet');
    expect(stream.takeClosed(40)).toEqual(['', '• one', '• two', '', '```js', 'let a;']);
    expect(stream.open(40, 3)).toEqual(['let']);
    expect(stream.end(40)).toEqual(['let']);
  });

  test('of a long unfinished block the last rows are shown', () => {
    const stream = createMarkdown(options);
    stream.push('| n | square |\n|---|---|\n');
    for (let n = 1; n <= 500; n += 1) stream.push(`| ${n} | ${n * n} |\n`);
    expect(stream.takeClosed(40)).toEqual([]);
    expect(stream.open(40, 2)).toEqual(['499  249001', '500  250000']);
  });

  const line = fc.oneof(
    fc.constantFrom('- item', '  - inner', '1. one', '```ts', '```', '> quote', '| a | b |', '|---|---|'),
    fc.constantFrom('# head', '---', '', '', 'text with `code` and **bold**', '    indented', '日本語 👍🏽'),
    fc.string({ maxLength: 30 }),
  );

  test('gives the same rows however the text is cut into pieces', () => {
    fc.assert(
      fc.property(
        fc.array(line),
        fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1 }),
        (lines, sizes) => {
          const text = lines.join('\n');
          const stream = createMarkdown(options);
          const shown: string[] = [];
          for (let at = 0, step = 0; at < text.length; step += 1) {
            const size = sizes[step % sizes.length] ?? 1;
            stream.push(text.slice(at, at + size));
            at += size;
            stream.open(30, 5);
            shown.push(...stream.takeClosed(30));
          }
          shown.push(...stream.end(30));
          expect(shown).toEqual(rows(text, 30));
        },
      ),
      { numRuns: inShortAndLongForm(200, 1_000) },
    );
  });

  test('no row of a text is wider than the window, but for code', () => {
    fc.assert(
      fc.property(fc.array(line), fc.integer({ min: 12, max: 60 }), (lines, columns) => {
        const text = lines.filter((one) => !/^\s*(?:```|~~~| {4})/.test(one)).join('\n');
        for (const row of rows(text, columns)) expect(cells(row)).toBeLessThanOrEqual(columns);
      }),
      { numRuns: inShortAndLongForm(200, 1_000) },
    );
  });
});

describe('code', () => {
  test('has no marks around it where colours tell it from text', () => {
    const colours = createTheme('dark');
    const text = 'Look:\n```txt\nlet a;\n```\nThen:\n\n```\nb\n```\n\nEnd.';
    const shown = markdownRows(text, 40, { theme: colours, highlighter: createHighlighter(colours) });
    expect(shown).toEqual(['Look:', '', 'let a;', '', 'Then:', '', 'b', '', 'End.']);
  });

  test('is coloured by its language, over lines and over pieces', async () => {
    const theme = createTheme('basic');
    const highlighter = createHighlighter(theme);
    await highlighter.load();
    const code = highlighter.begin('ts');
    expect(code(['const a = "x"; /* long'])).toEqual([
      '\x1b[35mconst\x1b[39m a = \x1b[32m"x"\x1b[39m; \x1b[90m/* long\x1b[39m',
    ]);
    expect(code(['comment */ 1;'])).toEqual(['\x1b[90mcomment */\x1b[39m \x1b[33m1\x1b[39m;']);
    expect(highlighter.begin('klingon')(['const'])).toEqual(['const']);
  });

  test('keeps every character', async () => {
    const theme = createTheme('dark');
    const highlighter = createHighlighter(theme);
    await highlighter.load();
    const source = ['<a href="x">&amp;</a>', 'if (a < b && c > d) `${x}`', "it's"];
    for (const language of ['html', 'js', 'python', 'bash', 'yaml', 'c'])
      expect(highlighter.begin(language)(source).map(withoutSgr)).toEqual(source);
  });
});
