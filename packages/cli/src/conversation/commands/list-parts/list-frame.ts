/** The rows of a list. Pure. */
import type { Row, ScreenFrame, Size } from '@turnwright/terminal/renderer/frame.ts';
import { cells, cutRow } from '@turnwright/terminal/text/cells.ts';
import type { Theme } from '@turnwright/terminal/text/theme.ts';
import { oneLine, visible } from '@turnwright/terminal/text/visible.ts';
import { wrap } from '@turnwright/terminal/text/wrap.ts';
import { type ListItem, type ListState, listMatches } from './list-state.ts';

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
): ScreenFrame & { readonly page: number } {
  const columns = Math.max(1, Math.min(size.columns - 1, MOST_COLUMNS));
  const items = listMatches(state);
  const room = Math.max(4, Math.min(size.rows - 2, MOST_ROWS));
  const marks = state.items.some(({ isCurrent }) => isCurrent === true);
  const widths = fitWidths(items, columns - (marks ? 4 : 2));
  const title = titleRows(
    state.list.title,
    columns,
    Math.max(1, Math.min(MOST_TITLE, room - FIXED_ROWS - 2)),
  );
  const fixed = FIXED_ROWS + title.length;
  const most = Math.min(MOST_ABOUT, room - fixed - 1);
  const about = aboutRows(items[state.chosen], widths, columns, most);
  const note = state.note === undefined ? [] : [theme.dim(cutRow(state.note, columns))];
  const dial = dialRows(state, columns);
  const free = Math.max(1, room - fixed - about.length - note.length - dial.length);
  const { from, to } = fitWindow(items.length, state.chosen, free);
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
      cutRow(search, columns),
      ...(items.length === 0 ? emptyRows(state, columns, free).map(theme.dim) : shown),
      ...about.map((line) => theme.dim(line)),
      ...note,
      ...dial,
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
  return rows.length <= most ? rows : rows.slice(0, most).with(-1, cutRow(`${rows[most - 1]} …`, columns));
}

/** With a text at the end of the last row, which makes room for it; a tiny window goes without. */
function withEnd(rows: readonly Row[], end: string, columns: number): readonly Row[] {
  const room = columns - cells(end);
  return room < columns / 3 ? rows : rows.with(-1, cutRow(rows.at(-1) ?? '', room) + end);
}

function emptyRows<T>({ items, list, note }: ListState<T>, columns: number, most: number): readonly Row[] {
  if (items.length > 0) return [cutRow('Nothing matches.', columns)];
  return note === undefined ? wrap(list.empty, columns).slice(0, most) : [];
}

function dialRows({ list: { dial }, dialled }: ListState<unknown>, columns: number): readonly Row[] {
  if (dial === undefined) return [];
  const { label, values } = dial;
  const marked = values.map((value, index) => (index === dialled ? `[${value}]` : value)).join(' ');
  const all = `${label}: ${marked}  ← →`;
  return [cells(all) <= columns ? all : cutRow(`${label}: [${values[dialled] ?? ''}]  ← →`, columns)];
}

function keysRow(enter: string, columns: number): string {
  const full = `type to search · ↑↓ choose · Enter ${enter} · Esc leaves`;
  return cells(full) <= columns ? full : cutRow(`↑↓ · Enter ${enter} · Esc`, columns);
}

/** The items around the chosen one. */
function fitWindow(
  count: number,
  chosen: number,
  room: number,
): { readonly from: number; readonly to: number } {
  if (count <= room) return { from: 0, to: count };
  const from = Math.min(count - room, Math.max(0, chosen - Math.floor(room / 2)));
  return { from, to: from + room };
}

interface Widths {
  readonly label: number;
  /** 0: there is no room for it. */
  readonly detail: number;
}

/** The label gets what it needs up to half of the row, and what the details leave; they get the rest. */
function fitWidths(items: readonly ListItem<unknown>[], columns: number): Widths {
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
  const label = cutRow(oneLine(item.label), widths.label);
  const detail = cutRow(oneLine(item.detail ?? ''), widths.detail);
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
  return rows.slice(0, most).with(-1, `${cutRow(rows[most - 1] ?? '', columns - 2)} …`);
}
