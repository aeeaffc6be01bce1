/** The list that pickers use: search by typing, choose with the arrows, take with Enter, leave with Esc. */
import type { InputEvent } from '../../../terminal/input/events.ts';
import type { Frame, Row, Size } from '../../../terminal/renderer/frame.ts';
import { cells, cut } from '../../../terminal/text/cells.ts';
import type { Theme } from '../../../terminal/text/theme.ts';
import { oneLine, visible } from '../../../terminal/text/visible.ts';
import { wrap } from '../../../terminal/text/wrap.ts';
import type { Overlay, OverlayHost, OverlayOf } from '../overlay.ts';
import { edited, fieldOf, type LineField } from './line-field.ts';

export interface ListItem<T> {
  readonly value: T;
  readonly label: string;
  /** A second column, which is also searched. */
  readonly detail?: string | undefined;
  /** Lines below the list while the item is chosen. */
  readonly about?: readonly string[] | undefined;
  /** What is in use now; it gets a mark, and is chosen first. */
  readonly isCurrent?: boolean | undefined;
}

/** What a list shows. A list without a screen is printed with numbers (see `isList`). */
export interface ListOf<T> {
  readonly title: string;
  readonly items: readonly ListItem<T>[];
  /** Sentence in place of an empty list. */
  readonly empty: string;
  /** What Enter does, in a word or two: `resumes it`. */
  readonly enter: string;
  /** Text to search for at the beginning. */
  readonly search?: string | undefined;
  /** Items that take a while: they replace `items` when they arrive. A rejection is shown as a sentence. */
  readonly later?: { readonly what: string; readonly items: Promise<readonly ListItem<T>[]> } | undefined;
}

/** An overlay that shows this list; its value is that of the chosen item. */
export type ListOverlay<T> = OverlayOf<T> & { readonly list: ListOf<T> };

export function listOverlay<T>(list: ListOf<T>): ListOverlay<T> {
  // It may never be shown; then nothing handles a failure.
  list.later?.items.catch(() => undefined);
  return Object.assign((host: OverlayHost) => new OpenList(list, host), { list });
}

interface ListState<T> {
  readonly list: ListOf<T>;
  readonly items: readonly ListItem<T>[];
  readonly search: LineField;
  /** Index in the items that match. */
  readonly chosen: number;
  /** About `later`: what is waited for, or why it failed. */
  readonly note: string | undefined;
}

export function openedList<T>(list: ListOf<T>): ListState<T> {
  const { items, later, search = '' } = list;
  const opened = { list, items, search: fieldOf(search), chosen: 0, note: later?.what };
  return { ...opened, chosen: currentOf(matchesOf(opened)) };
}

/** Items that contain every word of the search, in their order. */
export function matchesOf<T>({ items, search }: ListState<T>): readonly ListItem<T>[] {
  const words = search.text.toLowerCase().split(/\s+/).filter(Boolean);
  if (words.length === 0) return items;
  return items.filter(({ label, detail = '' }) => {
    const text = `${label} ${detail}`.toLowerCase();
    return words.every((word) => text.includes(word));
  });
}

/** With other items; the chosen one stays chosen if it is among them. */
export function replaced<T>(state: ListState<T>, items: readonly ListItem<T>[]): ListState<T> {
  const next = { ...state, items, note: undefined };
  const label = matchesOf(state)[state.chosen]?.label;
  const at = matchesOf(next).findIndex((item) => item.label === label);
  return { ...next, chosen: at >= 0 ? at : currentOf(matchesOf(next)) };
}

/** The state after a key; undefined: the key means nothing here. */
export function pressed<T>(state: ListState<T>, event: InputEvent, page: number): ListState<T> | undefined {
  const last = Math.max(0, matchesOf(state).length - 1);
  if (event.kind === 'key') {
    const step = stepOf(event, page);
    if (step !== undefined) return { ...state, chosen: Math.min(last, Math.max(0, state.chosen + step)) };
  }
  const search = edited(state.search, event);
  if (search === undefined) return undefined;
  return search.text === state.search.text ? { ...state, search } : { ...state, search, chosen: 0 };
}

function stepOf({ name, ctrl, alt }: InputEvent & { kind: 'key' }, page: number): number | undefined {
  if (alt) return undefined;
  if (ctrl) return name === 'n' ? 1 : name === 'p' ? -1 : undefined;
  return {
    up: -1,
    down: 1,
    pageup: -page,
    pagedown: page,
    home: Number.NEGATIVE_INFINITY,
    end: Number.POSITIVE_INFINITY,
  }[name];
}

class OpenList<T> implements Overlay<T> {
  readonly closed: Promise<T | undefined>;
  readonly #host: OverlayHost;
  #state: ListState<T>;
  #page = 1;
  #close!: (value: T | undefined) => void;

  constructor(list: ListOf<T>, host: OverlayHost) {
    this.#host = host;
    this.#state = openedList(list);
    this.closed = new Promise((resolve) => {
      this.#close = resolve;
    });
    list.later?.items.then(
      (items) => this.#enter(replaced(this.#state, items)),
      (error: Error) => this.#enter({ ...this.#state, note: error.message }),
    );
  }

  frame(size: Size): Frame {
    const frame = listFrame(this.#state, size, this.#host.theme);
    this.#page = frame.page;
    return frame;
  }

  onEvent(event: InputEvent): boolean {
    if (event.kind === 'reply') return false;
    if (event.kind === 'key' && isLeave(event)) this.#close(undefined);
    else if (event.kind === 'key' && event.name === 'enter') {
      const item = matchesOf(this.#state)[this.#state.chosen];
      if (item !== undefined) this.#close(item.value);
    } else {
      const next = pressed(this.#state, event, this.#page);
      if (next !== undefined) this.#enter(next);
    }
    // Keys that mean nothing here are not the editor's either: it is covered.
    return true;
  }

  #enter(state: ListState<T>): void {
    this.#state = state;
    this.#host.invalidate();
  }
}

export function isLeave({ name, ctrl }: InputEvent & { kind: 'key' }): boolean {
  return name === 'escape' || (ctrl && name === 'c');
}

const MOST_ROWS = 16;
const MOST_COLUMNS = 100;
const MOST_ABOUT = 3;
/** A title may hold what is about to be written, which is not cut. */
const MOST_TITLE = 3;
/** Search and keys. */
const FIXED_ROWS = 2;
const DETAIL_GAP = '  ';

/** The rows of a list, never wider than the window, and how many items a page has. */
export function listFrame<T>(
  state: ListState<T>,
  size: Size,
  theme: Theme,
): Frame & { readonly page: number } {
  const columns = Math.max(1, Math.min(size.columns - 1, MOST_COLUMNS));
  const items = matchesOf(state);
  const room = Math.max(4, Math.min(size.rows - 2, MOST_ROWS));
  const marks = state.items.some(({ isCurrent }) => isCurrent === true);
  const widths = widthsOf(items, columns - (marks ? 4 : 2));
  const title = titleRows(
    state.list.title,
    columns,
    Math.max(1, Math.min(MOST_TITLE, room - FIXED_ROWS - 2)),
  );
  const fixed = FIXED_ROWS + title.length;
  const most = Math.min(MOST_ABOUT, room - fixed - 1);
  const about = aboutRows(items[state.chosen], widths, columns, most);
  const note = state.note === undefined ? [] : [theme.dim(cut(state.note, columns))];
  const free = Math.max(1, room - fixed - about.length - note.length);
  const { from, to } = windowOf(items.length, state.chosen, free);
  const shown = items
    .slice(from, to)
    .map((item, at) => itemRow(item, { isChosen: from + at === state.chosen, marks, widths, theme }));
  const hidden = [
    from > 0 ? ` · ${from} above` : '',
    to < items.length ? ` · ${items.length - to} below` : '',
  ];
  const search = `search: ${state.search.text}`;
  return {
    rows: [
      ...withEnd(title, hidden.join(''), columns).map((row) => theme.bold(row)),
      cut(search, columns),
      ...(items.length === 0 ? emptyRows(state, columns, free).map(theme.dim) : shown),
      ...about.map((line) => theme.dim(line)),
      ...note,
      theme.dim(keysRow(state.list.enter, columns)),
    ],
    cursor: {
      row: title.length,
      column: Math.min(columns, cells(`search: ${state.search.text.slice(0, state.search.cursor)}`)),
    },
    page: free,
  };
}

function titleRows(title: string, columns: number, most: number): readonly Row[] {
  const rows = wrap(oneLine(title), columns);
  return rows.length <= most ? rows : rows.slice(0, most).with(-1, cut(`${rows[most - 1]} …`, columns));
}

/** With a text at the end of the last row, which makes room for it; a tiny window goes without. */
function withEnd(rows: readonly Row[], end: string, columns: number): readonly Row[] {
  const room = columns - cells(end);
  return room < columns / 3 ? rows : rows.with(-1, cut(rows.at(-1) ?? '', room) + end);
}

function emptyRows<T>({ items, list, note }: ListState<T>, columns: number, most: number): readonly Row[] {
  if (items.length > 0) return [cut('Nothing matches.', columns)];
  return note === undefined ? wrap(list.empty, columns).slice(0, most) : [];
}

function keysRow(enter: string, columns: number): string {
  const full = `type to search · ↑↓ choose · Enter ${enter} · Esc leaves`;
  return cells(full) <= columns ? full : cut(`↑↓ · Enter ${enter} · Esc`, columns);
}

/** The items around the chosen one. */
function windowOf(
  count: number,
  chosen: number,
  room: number,
): { readonly from: number; readonly to: number } {
  if (count <= room) return { from: 0, to: count };
  const from = Math.min(count - room, Math.max(0, chosen - Math.floor(room / 2)));
  return { from, to: from + room };
}

function currentOf(items: readonly ListItem<unknown>[]): number {
  return Math.max(
    0,
    items.findIndex(({ isCurrent }) => isCurrent === true),
  );
}

interface Widths {
  readonly label: number;
  /** 0: there is no room for it. */
  readonly detail: number;
}

/** The label gets what it needs up to half of the row, and what the details leave; they get the rest. */
function widthsOf(items: readonly ListItem<unknown>[], columns: number): Widths {
  const widest = Math.max(0, ...items.map(({ label }) => cells(oneLine(label))));
  const widestDetail = Math.max(0, ...items.map(({ detail = '' }) => cells(oneLine(detail))));
  if (widestDetail === 0) return { label: columns, detail: 0 };
  const gap = DETAIL_GAP.length;
  const most = Math.max(Math.floor(columns / 2), columns - widestDetail - gap);
  const label = Math.min(widest, most);
  return { label, detail: Math.max(0, columns - label - gap) };
}

interface ItemLook {
  readonly isChosen: boolean;
  /** Whether there is a column of marks. */
  readonly marks: boolean;
  readonly widths: Widths;
  readonly theme: Theme;
}

function itemRow<T>(item: ListItem<T>, { isChosen, marks, widths, theme }: ItemLook): Row {
  const mark = marks ? (item.isCurrent === true ? '✓ ' : '  ') : '';
  const label = cut(oneLine(item.label), widths.label);
  const detail = cut(oneLine(item.detail ?? ''), widths.detail);
  const pointed = `${isChosen ? '❯' : ' '} ${mark}`;
  if (detail === '') return isChosen ? theme.accent(pointed + label) : pointed + label;
  const padded = label + ' '.repeat(widths.label - cells(label)) + DETAIL_GAP;
  return (isChosen ? theme.accent(pointed + padded) : pointed + padded) + theme.dim(detail);
}

/** What its row has cut comes first, in full. */
function aboutRows(
  item: ListItem<unknown> | undefined,
  widths: Widths,
  columns: number,
  most: number,
): readonly string[] {
  if (item === undefined || most <= 0) return [];
  const { label, detail = '', about = [] } = item;
  const isCut = (text: string, width: number) => cells(oneLine(text)) > width;
  const lines = [
    ...(isCut(label, widths.label) ? [oneLine(label)] : []),
    ...(isCut(detail, widths.detail) ? [oneLine(detail)] : []),
    ...about.map(visible),
  ];
  const rows = lines.flatMap((line) => wrap(line, columns - 2)).map((row) => `  ${row}`);
  if (rows.length <= most) return rows;
  return rows.slice(0, most).with(-1, `${cut(rows[most - 1] ?? '', columns - 2)} …`);
}
