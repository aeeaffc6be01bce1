/** A12: text of a model, a tool, a file or a server never drives the terminal. */

import { inShortAndLongForm } from '@turnwright/test/long-form.ts';
import { virtualClock } from '@turnwright/testing';
import { describe, expect, test } from 'vitest';
import { diffRows } from '../src/markup/diff-rows.ts';
import { createHighlighter } from '../src/markup/highlight.ts';
import { markdownRows } from '../src/markup/markdown-stream.ts';
import { createRegions } from '../src/renderer/regions.ts';
import { clean } from '../src/text/clean.ts';
import { createTheme } from '../src/text/theme.ts';
import { wrap } from '../src/text/wrap.ts';
import { emulator } from './emulator.ts';

const PAYLOADS: readonly string[] = [
  // The clipboard, the title, the folder, a link, a notification, a palette, a question.
  ...[
    '52;c;cm0gLXJmIC8=',
    '0;title',
    '2;title',
    '7;file:///etc',
    '8;;https://evil.example',
    '9;hello',
    '4;1;red',
    '11;?',
  ].flatMap((text) => [`\x1b]${text}\x07`, `\x1b]${text}\x1b\\`, `\x9d${text}\x9c`, `\x1b]${text}`]),
  // Device control, application commands, private messages, with their end and without.
  ...['P1$qm', 'P+q544e', 'Xsos', '^pm', '_Gf=100;AAAA'].flatMap((text) => [
    `\x1b${text}\x1b\\`,
    `\x1b${text}\x07`,
    `\x1b${text}`,
  ]),
  // The cursor, erasing, scrolling, modes, the mouse, the alternate screen, keys, reports.
  ...[
    '2J',
    '3J',
    'J',
    '2K',
    'H',
    '1;1H',
    '5A',
    '99B',
    '10D',
    'G',
    '1;5r',
    'r',
    '5S',
    '5T',
    'L',
    'M',
    '4P',
    '9X',
    's',
    'u',
  ].flatMap((text) => [`\x1b[${text}`, `\x9b${text}`]),
  ...[
    '?1049h',
    '?47h',
    '?1000h',
    '?1003h',
    '?1006h',
    '?25l',
    '?2004h',
    '?2026h',
    '?7l',
    '?6h',
    '4h',
    '20h',
  ].flatMap((text) => [`\x1b[${text}`, `\x9b${text}`]),
  ...['6n', 'c', '>c', '?u', '>1u', '<u', '18t', '21t', '8;10;10t', '!p', '0q', ' q', '?996n', '5n'].flatMap(
    (text) => [`\x1b[${text}`, `\x9b${text}`],
  ),
  ...['c', '7', '8', 'D', 'E', 'M', 'H', 'Z', '=', '>', '(0', ')B', '#8', 'N', 'O', '\\'].map(
    (text) => `\x1b${text}`,
  ),
  // Single controls.
  ...'\x00\x05\x07\x08\x0b\x0c\x0e\x0f\x11\x13\x18\x1a\x1b\x7f\x84\x85\x88\x8d\x8e\x90\x9b\x9d\x9f\r'.split(
    '',
  ),
  // Hidden and reordered text, and what a row would be broken by.
  ...'\u061c\u200b\u200e\u200f\u2028\u2029\u202a\u202e\u2066\u2069\u2060\ufeff\u00ad\u3164\ud800\udc00'.split(
    '',
  ),
  '\u{e0041}\u{e0042}',
  `a${'\u0301'.repeat(200)}`,
  '\x1b[8mhidden\x1b[28m',
  '\x1b[5mblinking',
  '\x1b[38;5;300m',
  '\x1b[31',
  '\x1b[1;2;3;4;5;6;7;8;9;10;11;12;13;14;15;16;17m',
  '\x1b[38;2;1;2m',
  '\x1b\x1b[2J',
  '\x1b[\x1b[2J2J',
  '\x1b]0;a\x1b[2J\x07',
  '\x1b[3\x00J',
  '\r\n? Allow Bash(rm -rf /)?\r\n› 1 yes\x1b[1A',
  '\x1b[?25l\x1b[999B\x1b[2K› 1. Yes, always\x1b[999A',
];

const theme = createTheme('basic');
const options = { theme, highlighter: createHighlighter(theme) };
const live = ['◐ Bash npm test', '› draft', 'status'];

/** Each way of text to the screen: rows that are committed, with a text in the middle of them. */
const WAYS: Readonly<Record<string, (text: string) => readonly string[]>> = {
  'as a committed row': (text) => [`before ${text} after`],
  'in Markdown': (text) => markdownRows(`para ${text} \`${text}\` [x](${text})\n\n# ${text}\n`, 70, options),
  'in a fence': (text) => markdownRows(`\`\`\`${text}\n${text}\n\`\`\`\n`, 70, options),
  'in a table': (text) => markdownRows(`| a | b |\n|---|---|\n| ${text} | c |\n`, 70, options),
  'in a diff': (text) => diffRows({ before: 'x\n', after: `${text}\n` }, 70, theme),
  'as output of a command': (text) => wrap(clean(`out ${text}\nnext`, 'sgr'), 70),
};

const ESC = '\x1b';
/** What the first frame begins and ends with; between there are rows with colours, and columns after wide emoji. */
const BEGIN = `${ESC}[?2026h${ESC}[?25l\r`;
const END = `\r${ESC}[?2026l`;
const IN_ROWS = new RegExp(`${ESC}\\[(?:\\d+G|[\\d;]*m)|\r\n`, 'g');
const HIDING = new RegExp(`${ESC}\\[(?:[\\d;]*;)?0*[568](?:;[\\d;]*)?m`);

/** What is written for these rows and the live region, in a window that was empty. */
async function writtenFor(committed: readonly string[]): Promise<readonly string[]> {
  const writes: string[] = [];
  const clock = virtualClock();
  const write = (text: string) => writes.push(text) > 0;
  const regions = createRegions({
    output: { write, on: () => undefined, off: () => undefined },
    size: () => ({ columns: 80, rows: 24 }),
    clock,
    draw: () => ({ rows: live }),
    writeNow: write,
  });
  regions.commit(committed);
  await clock.advance(50);
  return writes;
}

test(`${PAYLOADS.length} strings are tried`, () => {
  expect(PAYLOADS.length).toBeGreaterThanOrEqual(200);
});

describe.each(Object.entries(WAYS))('%s', (_, rowsOf) => {
  test('no sequence reaches the terminal but our own, and colours', async () => {
    const reached: string[] = [];
    for (const payload of PAYLOADS) {
      const [text = '', ...more] = await writtenFor(rowsOf(payload));
      const rows = text.slice(BEGIN.length, -END.length);
      const isWhole = more.length === 0 && text.startsWith(BEGIN) && text.endsWith(END);
      const left = rows.replace(IN_ROWS, '');
      if (!isWhole || /\p{Cc}|[\u202a-\u202e\u2066-\u2069]/u.test(left) || HIDING.test(rows))
        reached.push(JSON.stringify(payload));
    }
    expect(reached).toEqual([]);
  });

  test('nothing happens to the terminal, and the live region is whole below the text', async () => {
    const { regions, show, rows, cursor, terminal } = emulator({ columns: 72, rows: 24 });
    const happened: string[] = [];
    terminal.onTitleChange((title) => happened.push(`title ${title}`));
    terminal.onBell(() => happened.push('bell'));
    terminal.onData((answer) => happened.push(`answer ${JSON.stringify(answer)}`));
    terminal.buffer.onBufferChange(() => happened.push('buffer'));
    for (const payload of PAYLOADS.filter((_, at) => at % inShortAndLongForm(4, 1) === 0)) {
      regions.commit(rowsOf(payload));
      await show({ rows: live, cursor: { row: 1, column: 7 } });
      const shown = await rows();
      expect([payload, shown.slice(-3)]).toEqual([payload, live]);
      expect(shown.filter((row) => row === 'status')).toHaveLength(1);
      expect(await cursor()).toMatchObject({ row: shown.length - 2, column: 7 });
    }
    expect(happened).toEqual([]);
    expect(terminal.modes.mouseTrackingMode).toBe('none');
  });
});

test('a live row with such a text stays one row', async () => {
  const { show, rows } = emulator();
  for (const payload of PAYLOADS) {
    await show({ rows: ['first', `tool ${payload}`, 'status'] });
    const shown = await rows();
    expect([payload, shown.length, shown.at(-1)]).toEqual([payload, 3, 'status']);
  }
});
