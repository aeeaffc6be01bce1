/** The list of pickers and the question for a line: pure states, and the frames they make. */

import { cells } from '@turnwright/terminal/text/cells.ts';
import { createTheme } from '@turnwright/terminal/text/theme.ts';
import { eventsOf } from '@turnwright/test/conversation/commands/command-under-test.ts';
import { describe, expect, it } from 'vitest';
import { type ListOf, listOverlay } from '../../../src/conversation/commands/list.ts';
import { createLineField, edited } from '../../../src/conversation/commands/list-parts/line-field.ts';
import { listFrame } from '../../../src/conversation/commands/list-parts/list-frame.ts';
import {
  listMatches,
  openedList,
  pressed,
  replaced,
} from '../../../src/conversation/commands/list-parts/list-state.ts';
import { questionFrame, questionOverlay } from '../../../src/conversation/commands/question.ts';
import type { OverlayHost } from '../../../src/conversation/overlay.ts';

const THEME = createTheme('none');
const WIDE = { columns: 80, rows: 24 };
const NARROW = { columns: 40, rows: 12 };
const HOST: OverlayHost = {
  theme: THEME,
  clock: { monotonicMs: () => 0, nowMs: () => 0, timer: () => () => {}, sleep: async () => {} },
  invalidate: () => {},
  typing: () => ({ lastKeyMs: undefined, draftIsEmpty: true }),
  open: async () => undefined,
  view: async () => {},
};

const ANIMALS: ListOf<string> = {
  title: 'Animals',
  items: [
    { value: 'owl', label: 'Owl', detail: 'flies at night', about: ['It turns its head by 270 degrees.'] },
    { value: 'cat', label: 'Cat 猫', detail: 'sleeps by day', isCurrent: true },
    { value: 'whale', label: 'Whale', detail: 'swims' },
  ],
  empty: 'No animal is known.',
  enter: 'feeds it',
};
const many = (count: number): ListOf<number> => ({
  title: 'Numbers',
  items: Array.from({ length: count }, (_, value) => ({ value, label: `number ${value + 1}` })),
  empty: '',
  enter: 'takes it',
});

/** The state after these keys. */
function keyed<T>(list: ListOf<T>, keys: readonly string[], page = 5) {
  let state = openedList(list);
  for (const event of keys.flatMap(eventsOf)) state = pressed(state, event, page) ?? state;
  return state;
}
const text = (frame: { readonly rows: readonly string[] }) => frame.rows.join('\n');

describe('a list', () => {
  it('shows labels, details, the current item and what is known of the chosen one', () => {
    expect(text(listFrame(openedList(ANIMALS), WIDE, THEME))).toMatchInlineSnapshot(`
      "Animals
      search: 
          Owl     flies at night
      ❯ ✓ Cat 猫  sleeps by day
          Whale   swims
      type to search · ↑↓ choose · Enter feeds it · Esc leaves"
    `);
    expect(text(listFrame(keyed(ANIMALS, ['up']), WIDE, THEME))).toMatchInlineSnapshot(`
      "Animals
      search: 
      ❯   Owl     flies at night
        ✓ Cat 猫  sleeps by day
          Whale   swims
        It turns its head by 270 degrees.
      type to search · ↑↓ choose · Enter feeds it · Esc leaves"
    `);
  });

  it('fits in 40 columns, and into few rows', () => {
    expect(text(listFrame(keyed(ANIMALS, ['home']), NARROW, THEME))).toMatchInlineSnapshot(`
      "Animals
      search: 
      ❯   Owl     flies at night
        ✓ Cat 猫  sleeps by day
          Whale   swims
        It turns its head by 270 degrees.
      ↑↓ · Enter feeds it · Esc"
    `);
    for (const size of [WIDE, NARROW, { columns: 20, rows: 8 }]) {
      const { rows, cursor } = listFrame(keyed(many(50), ['pagedown']), size, THEME);
      expect(rows.length).toBeLessThanOrEqual(Math.min(16, size.rows - 2));
      expect(rows.every((row) => cells(row) < size.columns)).toBe(true);
      expect(cursor?.column).toBeLessThan(size.columns);
    }
  });

  it('wraps a title, which may hold a rule that is about to be written', () => {
    const rule = { ...ANIMALS, title: 'deny Bash(rm -rf "a b":*): where is it kept?' };
    expect(text(listFrame(openedList(rule), NARROW, THEME))).toMatchInlineSnapshot(`
      "deny Bash(rm -rf "a b":*): where is it
      kept?
      search: 
          Owl     flies at night
      ❯ ✓ Cat 猫  sleeps by day
          Whale   swims
      ↑↓ · Enter feeds it · Esc"
    `);
    const long = { ...many(50), title: 'word '.repeat(100) };
    const { rows, cursor } = listFrame(openedList(long), { columns: 40, rows: 8 }, THEME);
    expect(rows.length).toBeLessThanOrEqual(6);
    expect(rows.every((row) => cells(row) < 40)).toBe(true);
    expect(rows[cursor?.row ?? -1]).toBe('search: ');
    expect(rows.join('\n')).toMatch(/· \d+ below/);
  });

  it('moves over a long list and says how many items are hidden', () => {
    expect(
      text(listFrame(keyed(many(50), ['pagedown', 'pagedown', 'down']), NARROW, THEME)),
    ).toMatchInlineSnapshot(`
      "Numbers · 8 above · 35 below
      search: 
        number 9
        number 10
        number 11
      ❯ number 12
        number 13
        number 14
        number 15
      ↑↓ · Enter takes it · Esc"
    `);
    expect(keyed(many(50), ['end', 'down']).chosen).toBe(49);
    expect(keyed(many(50), ['end', 'home', 'up']).chosen).toBe(0);
    expect(keyed(many(50), ['ctrl+n', 'ctrl+n', 'ctrl+p']).chosen).toBe(1);
  });

  it('finds items that contain every word that is typed, in label or detail', () => {
    expect(listMatches(keyed(ANIMALS, ["'SWIM wh"])).map(({ value }) => value)).toEqual(['whale']);
    expect(listMatches(keyed(ANIMALS, ["'night"])).map(({ value }) => value)).toEqual(['owl']);
    expect(listMatches(keyed(ANIMALS, ["'nightx", 'backspace'])).map(({ value }) => value)).toEqual(['owl']);
    expect(text(listFrame(keyed(ANIMALS, ["'xyz"]), NARROW, THEME))).toMatchInlineSnapshot(`
      "Animals
      search: xyz
      Nothing matches.
      ↑↓ · Enter feeds it · Esc"
    `);
  });

  it('closes with the chosen value on Enter, and with undefined on Esc and Ctrl+C', async () => {
    const closed = async (...keys: string[]) => {
      const overlay = listOverlay(ANIMALS)(HOST);
      for (const event of keys.flatMap(eventsOf)) overlay.onEvent(event);
      return overlay.closed;
    };
    expect(await closed('enter')).toBe('cat');
    expect(await closed('down', 'enter')).toBe('whale');
    expect(await closed("'owl", 'enter')).toBe('owl');
    expect(await closed('escape')).toBeUndefined();
    expect(await closed('ctrl+c')).toBeUndefined();
    // Nothing matches, so Enter takes nothing.
    expect(await closed("'xyz", 'enter', 'escape')).toBeUndefined();
  });

  it('takes items that arrive later, keeps the chosen one, and shows why they do not arrive', () => {
    const chosen = keyed(ANIMALS, ['end']);
    const items = [{ value: 'ant', label: 'Ant' }, ...ANIMALS.items];
    expect(listMatches(replaced(chosen, items))[replaced(chosen, items).chosen]?.value).toBe('whale');
    const failing = listOverlay({
      ...ANIMALS,
      later: { what: 'Counting …', items: Promise.reject(new Error('The zoo is closed.')) },
    })(HOST);
    expect(text(failing.frame(WIDE))).toContain('Counting …');
    return Promise.resolve()
      .then(() => undefined)
      .then(() => expect(text(failing.frame(WIDE))).toContain('The zoo is closed.'));
  });

  it('does not let a label drive the terminal', () => {
    const hostile = { ...ANIMALS, items: [{ value: '', label: 'a\x1b]0;title\x07b', detail: 'c\r\nd' }] };
    const rows = text(listFrame(openedList(hostile), WIDE, THEME));
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what must not be there
    expect(rows).not.toMatch(/[\x00-\x09\x0b-\x1f]/);
  });
});

describe('a question for a line', () => {
  it('shows the question, the text and what is wrong with the answer', () => {
    const question = { title: 'Which rule?', about: ['For example Bash(git status).'] };
    expect(
      text(questionFrame(question, createLineField('Bash('), 'That is no rule.', NARROW, THEME)),
    ).toMatchInlineSnapshot(`
      "Which rule?
      For example Bash(git status).
      › Bash(
      That is no rule.
      Enter takes it · Esc leaves"
    `);
  });

  it('keeps the cursor of a long text in the window', () => {
    const { rows, cursor } = questionFrame(
      { title: 'Q' },
      createLineField('x'.repeat(200)),
      undefined,
      NARROW,
      THEME,
    );
    expect(cells(rows[1] ?? '')).toBeLessThan(40);
    expect(cursor?.column).toBeLessThan(40);
  });

  it('asks again until the answer is good', async () => {
    const overlay = questionOverlay({
      title: 'A number?',
      problem: (answer) => (/^\d+$/.test(answer) ? undefined : 'That is no number.'),
    })(HOST);
    const press = (...keys: string[]) => {
      for (const event of keys.flatMap(eventsOf)) overlay.onEvent(event);
    };
    press('enter');
    expect(text(overlay.frame(WIDE))).toContain('Write something');
    press("'4x", 'enter');
    expect(text(overlay.frame(WIDE))).toContain('That is no number.');
    press('backspace', "'2 ", 'enter');
    expect(await overlay.closed).toBe('42');
  });
});

describe('a line field', () => {
  it('is edited with the usual keys, by whole characters', () => {
    const typed = (start: string, ...keys: string[]) =>
      keys.flatMap(eventsOf).reduce((field, event) => edited(field, event) ?? field, createLineField(start));
    expect(typed('one two', 'ctrl+w').text).toBe('one ');
    expect(typed('one two', 'ctrl+a', 'delete').text).toBe('ne two');
    expect(typed('one two', 'left', 'left', 'ctrl+u').text).toBe('wo');
    expect(typed('a👍🏽', 'backspace').text).toBe('a');
    expect(typed('ab', 'left', "'x").text).toBe('axb');
    const pasted = edited(createLineField('a '), { kind: 'paste', text: 'b\n c', atMs: 0 });
    expect(pasted?.text).toBe('a b c');
  });
});
