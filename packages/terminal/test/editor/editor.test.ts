/** Writing a prompt with keys: moving, deleting, several lines, characters of any width. */

import { anyText } from '@turnwright/test/any-text.ts';
import { propertyRuns } from '@turnwright/test/long-form.ts';
import fc from 'fast-check';
import { describe, expect, it, onTestFinished } from 'vitest';
import { ACTION_NAMES, type ActionName } from '../../src/input/actions.ts';
import { COMMON_WIDTHS, cells, setWidths } from '../../src/text/cells.ts';
import { historyOf, openDesk } from './desk.ts';

const CTRL = (letter: string) => String.fromCharCode(letter.charCodeAt(0) & 0x1f);
const [UP, DOWN, RIGHT, LEFT] = ['\x1b[A', '\x1b[B', '\x1b[C', '\x1b[D'];

describe('the keys of readline', () => {
  it.each<[string, string[], string]>([
    ['Ctrl+A goes to the start of the line', ['one two', CTRL('a'), 'X'], '› X|one two'],
    ['Ctrl+E goes to its end', ['one', CTRL('a'), CTRL('e'), 'X'], '› oneX|'],
    ['Alt+B and Alt+F go by words', ['one two', '\x1bb', '\x1bb', '\x1bf', 'X'], '› oneX| two'],
    ['Ctrl+B and Ctrl+F go by characters', ['abc', CTRL('b'), CTRL('b'), CTRL('f'), 'X'], '› abX|c'],
    ['Ctrl+K deletes to the end', ['one two', '\x1bb', CTRL('k')], '› one |'],
    ['Ctrl+U deletes to the start', ['one two', '\x1bb', CTRL('u')], '› |two'],
    ['Ctrl+W deletes to a blank', ['cd a/b/c', CTRL('w')], '› cd |'],
    ['Alt+Backspace deletes a word', ['cd a/b/c', '\x1b\x7f'], '› cd a/b/|'],
    ['Alt+D deletes the next word', ['one two', CTRL('a'), '\x1bd'], '› | two'],
    ['Backspace deletes a character', ['abc', '\x7f'], '› ab|'],
    ['Ctrl+D deletes the next one', ['abc', CTRL('a'), CTRL('d')], '› |bc'],
    ['Ctrl+Y inserts what was deleted', ['one two', CTRL('w'), CTRL('y'), CTRL('y')], '› one twotwo|'],
    [
      'deletions in a row are one',
      ['one two three', CTRL('w'), CTRL('w'), CTRL('a'), CTRL('y')],
      '› two three|one ',
    ],
    ['Alt+Y goes on to older ones', ['a b', CTRL('w'), CTRL('e'), CTRL('u'), CTRL('y'), '\x1by'], '› b|'],
    ['Ctrl+_ takes back a word that was typed', ['one two', CTRL('_')], '› one |'],
    ['Ctrl+_ takes back a deletion', ['one two', CTRL('u'), CTRL('_')], '› one two|'],
    ['Alt+_ does it again', ['one two', CTRL('_'), '\x1b_'], '› one two|'],
    ['Ctrl+X Ctrl+U is undo too', ['one', CTRL('u'), CTRL('x'), CTRL('u')], '› one|'],
  ])('%s', async (_, keys, row) => {
    const desk = await openDesk();
    await desk.press(...keys);
    expect(desk.drawn()).toEqual([row]);
    expect(desk.left).toEqual([]);
  });
});

describe('several lines', () => {
  it.each<[string, string]>([
    ['Ctrl+J', '\n'],
    ['Alt+Enter', '\x1b\r'],
    ['Shift+Enter of a kitty keyboard', '\x1b[13;2u'],
    ['Shift+Enter of modifyOtherKeys', '\x1b[27;2;13~'],
  ])('%s begins a new line', async (_, key) => {
    const desk = await openDesk();
    await desk.press('one', key, 'two');
    expect(desk.drawn()).toEqual(['› one', '  two|']);
    expect(desk.editor.take().text).toBe('one\ntwo');
  });

  it('a backslash before Enter does, without it Enter is left to the caller', async () => {
    const desk = await openDesk();
    await desk.press('one\\', '\r', 'two');
    expect(desk.left).toEqual([]);
    await desk.press('\r');
    expect(desk.left).toEqual(['send']);
    expect(desk.editor.take()).toEqual({ text: 'one\ntwo', images: [] });
    expect(desk.editor.isEmpty).toBe(true);
  });

  it('↑ and ↓ keep the column over a short row', async () => {
    const desk = await openDesk();
    await desk.press('abcdef', '\n', 'x', '\n', 'abcdef', LEFT, UP);
    expect(desk.drawn()).toEqual(['› abcdef', '  x|', '  abcdef']);
    await desk.press(UP);
    expect(desk.drawn()).toEqual(['› abcde|f', '  x', '  abcdef']);
    await desk.press(DOWN, DOWN);
    expect(desk.drawn()).toEqual(['› abcdef', '  x', '  abcde|f']);
  });

  it('a long line is broken behind a blank, and its rows are gone through like lines', async () => {
    const desk = await openDesk();
    await desk.press('the quick brown fox jumps');
    expect(desk.drawn(18)).toEqual(['› the quick ', '  brown fox jumps|']);
    await desk.press(UP);
    expect(desk.drawn(18)).toEqual(['› the quick| ', '  brown fox jumps']);
    expect(desk.drawn(12)).toEqual(['› the ', '  quick| ', '  brown ', '  fox jumps']);
  });

  it('more rows than fit are counted, the cursor among those that are shown', async () => {
    const desk = await openDesk();
    for (let line = 1; line <= 12; line += 1) await desk.press(`${line}`, ...(line < 12 ? ['\n'] : []));
    expect(desk.drawn(40, 5)).toEqual(['  … 8 rows above', '  9', '  10', '  11', '  12|']);
    for (let step = 0; step < 6; step += 1) await desk.press(UP);
    expect(desk.drawn(40, 5)).toEqual(['  … 4 rows above', '  5', '  6|', '  7', '  … 5 rows below']);
    for (let step = 0; step < 5; step += 1) await desk.press(UP);
    expect(desk.drawn(40, 5)).toEqual(['› 1|', '  2', '  3', '  4', '  … 8 rows below']);
    expect(desk.drawn(40, 2)).toEqual(['› 1|', '  2']);
  });
});

describe('characters of any width', () => {
  it('the cursor is on the caret behind wide ones', async () => {
    const desk = await openDesk();
    await desk.press('漢字', LEFT);
    expect(desk.editor.frame(80, 5).cursor).toEqual({ row: 0, column: 4 });
    await desk.press(RIGHT, '👍🏽', 'é');
    expect(desk.editor.frame(80, 5).cursor).toEqual({ row: 0, column: 2 + cells('漢字👍🏽é') });
  });

  it('one key goes over, and deletes, what is one character to a person', async () => {
    const desk = await openDesk();
    await desk.press('a', ...'👨‍👩‍👧', ...'e\u0301', ...'🇩🇪', LEFT, LEFT, LEFT);
    await desk.press('X');
    expect(desk.editor.text).toBe('aX👨‍👩‍👧e\u0301🇩🇪');
    await desk.press(CTRL('e'), '\x7f', '\x7f', '\x7f');
    expect(desk.editor.text).toBe('aX');
  });

  it('a wide character does not cross the edge of a row', async () => {
    const desk = await openDesk();
    await desk.press('漢字漢字漢字');
    expect(desk.rows(10)).toEqual(['› 漢字漢', '  字漢字']);
    for (const row of desk.rows(10)) expect(cells(row)).toBeLessThan(10);
  });

  it('are measured again when the terminal has answered how wide it draws them', async () => {
    const desk = await openDesk();
    await desk.press('👍🏽');
    expect(desk.editor.frame(80, 5).cursor).toEqual({ row: 0, column: 4 });
    setWidths({ ...COMMON_WIDTHS, joinsSkinTone: false });
    onTestFinished(() => setWidths(COMMON_WIDTHS));
    expect(desk.editor.frame(80, 5).cursor).toEqual({ row: 0, column: 6 });
  });

  it('controls that reorder text are shown, and sent as they are', async () => {
    const desk = await openDesk();
    await desk.press('a\u202eb');
    expect(desk.rows()).toEqual(['› a<U+202E>b']);
    expect(desk.editor.take().text).toBe('a\u202eb');
  });
});

describe('a draft', () => {
  it('that was cleared comes back with undo', async () => {
    const desk = await openDesk();
    await desk.press('one two');
    desk.editor.clear();
    expect(desk.editor.isEmpty).toBe(true);
    await desk.press(CTRL('_'));
    expect(desk.editor.text).toBe('one two');
  });

  it('that begins with ! is a shell command, and is taken without it', async () => {
    const desk = await openDesk();
    await desk.press('!ls -l');
    expect(desk.editor.mode).toBe('shell');
    const draft = desk.editor.take();
    expect(draft.text).toBe('ls -l');
    desk.editor.replace(draft);
    expect(desk.editor.text).toBe('!ls -l');
  });

  it('is in the context that its keys are looked up in', async () => {
    const desk = await openDesk();
    expect(desk.editor.context).toBe('empty');
    await desk.press('?');
    expect(desk.left).toEqual(['help']);
    await desk.press('a?');
    expect(desk.editor.text).toBe('a?');
    expect(desk.editor.context).toBe('editor');
    await desk.press(CTRL('r'));
    expect(desk.editor.context).toBe('search');
  });
});

describe('whatever is pressed', () => {
  const unit = fc.oneof(
    fc.constantFrom(
      'a',
      ' ',
      '\n',
      '\\',
      '漢',
      '👍🏽',
      '👨‍👩‍👧',
      '\u0301',
      '\u200d',
      '\ufe0f',
      '\u20e3',
      '🇩',
      '\ufffc',
      'नि',
      '\u202e',
      '/',
      '@',
      '!',
    ),
    anyText({ maxLength: 3 }),
  );
  const step = fc.oneof(
    unit.map((text) => ({ text })),
    fc.constantFrom(...ACTION_NAMES.filter((name) => name !== 'pasteImage')).map((action) => ({ action })),
    fc.constantFrom('long\n'.repeat(20), 'x\n\ufffcy').map((paste) => ({ paste })),
    fc.constantFrom('take', 'clear', 'import').map((call) => ({ call })),
  );

  it('the cursor stays between characters, on a drawn row, and every row fits', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 40 }),
        fc.integer({ min: 8, max: 60 }),
        async (steps, columns) => {
          const desk = await openDesk({ history: await historyOf('older one', 'a\nb\nc', '漢字') });
          const { editor } = desk;
          for (const one of steps) {
            if ('text' in one)
              for (const text of one.text)
                editor.handle({
                  kind: 'key',
                  name: text,
                  text,
                  ctrl: false,
                  alt: false,
                  shift: false,
                  atMs: 0,
                });
            else if ('paste' in one) editor.handle({ kind: 'paste', text: one.paste, atMs: 0 });
            else if ('action' in one) pressAction(desk.editor, one.action);
            else if (one.call === 'take') editor.take();
            else if (one.call === 'clear') editor.clear();
            else editor.importText(editor.text);
            const { rows, cursor } = editor.frame(columns, 6);
            expect(rows.length).toBeGreaterThan(0);
            expect(rows.length).toBeLessThanOrEqual(6);
            for (const row of rows) expect(cells(row)).toBeLessThanOrEqual(columns - 1);
            expect(cursor!.row).toBeLessThan(rows.length);
            expect(cursor!.column).toBeLessThan(columns);
            expect(cursor!.column).toBeGreaterThanOrEqual(2);
          }
        },
      ),
      { numRuns: propertyRuns(200, 1_000) },
    );
  });

  it('undo goes back to every text before, and redo forward again', async () => {
    const edit = fc.constantFrom<ActionName>(
      'deleteBack',
      'killToEnd',
      'killBlankWord',
      'yank',
      'newline',
      'left',
      'lineStart',
    );
    const typed = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 4 });
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.oneof(
            edit,
            typed.map((text) => ({ text })),
          ),
          { maxLength: 30 },
        ),
        async (edits) => {
          const { editor } = await openDesk();
          for (const one of edits) {
            if (typeof one === 'string') pressAction(editor, one);
            else editor.handle({ kind: 'paste', text: one.text, atMs: 0 });
          }
          const last = editor.text;
          for (let step = 0; step <= edits.length; step += 1) pressAction(editor, 'undo');
          expect(editor.text).toBe('');
          for (let step = 0; step <= edits.length; step += 1) pressAction(editor, 'redo');
          expect(editor.text).toBe(last);
        },
      ),
      { numRuns: propertyRuns(200, 1_500) },
    );
  });
});

function pressAction(editor: Awaited<ReturnType<typeof openDesk>>['editor'], action: ActionName): void {
  editor.handle({ kind: 'key', name: 'f20', ctrl: false, alt: false, shift: false, atMs: 0 }, action);
}
