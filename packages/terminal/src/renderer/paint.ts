/**
 * The bytes that turn what is on the screen into what shall be there. Knows where the cursor was left, and
 * how the terminal has wrapped the old rows since; does no output itself.
 *
 * Never written: `CSI 2J` and `CSI 3J`, scroll regions and mouse modes. Not even `CSI J` in the top left
 * corner, which some terminals (tmux) take for "clear", and move what was there into the history.
 */
import { cells, clusters, cutRow, isDisputed } from '../text/cells.ts';
import { clean } from '../text/clean.ts';
import { endsPlain, RESET, sgrParts } from '../text/sgr.ts';
import type { Row, ScreenFrame, Size } from './frame.ts';

const MAX_LIVE_ROWS = 16;
/** In a smaller window there is no live region (S6.8). */
const MIN_COLUMNS = 40;
/** Rows of the window that stay for committed lines. */
const ROWS_ABOVE = 2;

const BEGIN_SYNCHRONISED = '\x1b[?2026h';
const END_SYNCHRONISED = '\x1b[?2026l';
const HIDE_CURSOR = '\x1b[?25l';
const SHOW_CURSOR = '\x1b[?25h';
const ERASE_ROW = '\x1b[2K';
/** From the start of the row the cursor is in to the end of the screen, by way of the second column. */
const ERASE_BELOW = `${ERASE_ROW}\x1b[C\x1b[J\r`;
const NEW_ROW = '\r\n';

/** Gives the terminal back as it was, whatever state it is in. */
const RESTORE = `${END_SYNCHRONISED}${RESET}${SHOW_CURSOR}`;

interface Manner {
  /** Every row is written: the terminal may have wrapped the old ones anew, or lost them. */
  readonly isWhole: boolean;
  /** Rows are cut so that no window wraps them. */
  readonly isNarrow: boolean;
}

/** Of the cursor, in rows and cells of the live region, from 0. */
interface Place {
  readonly row: number;
  readonly column: number;
}

export class Painter {
  readonly #cutsCursorRow: boolean;
  /** The live region on the screen. */
  #rows: readonly Row[] = [];
  /** Where the cursor was left. */
  #at: Place = { row: 0, column: 0 };
  #isCursorShown = true;

  /** @param cutsCursorRow Whether a narrower window cuts the row of the cursor, and wraps the others only. */
  constructor(cutsCursorRow: boolean) {
    this.#cutsCursorRow = cutsCursorRow;
  }

  /** The rows on the screen, cut so that no window wraps them; empty where they are so narrow already. */
  narrowed(size: Size): string {
    if (this.#rows.every((row) => cells(row) < MIN_COLUMNS)) return '';
    const cursor = this.#isCursorShown ? this.#at : undefined;
    return this.frame({ rows: this.#rows, cursor }, [], size, { isWhole: true, isNarrow: true });
  }

  /** Empty when nothing changes. */
  frame(frame: ScreenFrame, committed: readonly Row[], size: Size, { isWhole, isNarrow }: Manner): string {
    const { rows, cursor } = fitted(frame, size, isNarrow);
    const replaces = isWhole || committed.length > 0 || rows.length < this.#rows.length;
    // Without a cursor it is left at the start of the last row, where no wrapping can move it to another one.
    const goal = cursor ?? { row: Math.max(0, rows.length - 1), column: 0 };
    const body = replaces ? this.#whole(committed, rows, size) : this.#changed(rows, goal);
    this.#rows = rows;
    const hide = body !== '' && this.#isCursorShown ? HIDE_CURSOR : '';
    if (hide !== '') this.#isCursorShown = false;
    const text = hide + body + this.#place(goal, cursor !== undefined);
    return text === '' ? '' : BEGIN_SYNCHRONISED + text + END_SYNCHRONISED;
  }

  /** Prints what is committed and erases the live region, in whose place the cursor is left. */
  leave(committed: readonly Row[], size: Size): string {
    const text = this.#whole(committed, [], size);
    this.#rows = [];
    this.#at = { row: 0, column: 0 };
    this.#isCursorShown = true;
    return text + RESTORE;
  }

  #whole(committed: readonly Row[], rows: readonly Row[], { columns }: Size): string {
    const up = this.#rowsAbove(columns);
    const top = up > 0 ? `\r\x1b[${up}A` : '\r';
    const erase = this.#rows.length === 0 ? '' : ERASE_BELOW;
    const lines = committed.map((line) => printed(line, columns) + NEW_ROW).join('');
    this.#at = { row: Math.max(0, rows.length - 1), column: UNKNOWN };
    return top + erase + lines + rows.map((row) => printed(row, columns)).join(NEW_ROW);
  }

  /**
   * The rows that changed, and the wide ones that the cursor passes, from the top down. By the time this
   * arrives the window may be narrower, and the old rows wrapped. Rows that are written one below the other
   * then take as much room as `#rowsAbove` counts for them; a mere step down would leave the cursor too high,
   * and the next frame would erase a line above the live region. A step up leaves it too low at worst, and
   * rows of ours behind.
   */
  #changed(rows: readonly Row[], goal: Place): string {
    const isNew = (row: Row, index: number) => row !== this.#rows[index];
    const last = Math.max(goal.row, rows.findLastIndex(isNew));
    let text = '';
    for (const [index, row] of rows.entries()) {
      const isPassed = index < last ? index >= this.#at.row : index === last && this.#isBefore(goal);
      if (!isNew(row, index) && !(isPassed && cells(row) >= MIN_COLUMNS)) continue;
      text += this.#goTo(index) + ERASE_ROW + printed(row, Number.POSITIVE_INFINITY);
      this.#at = { row: index, column: UNKNOWN };
    }
    return text;
  }

  /** Whether text that a window may wrap is between the cursor and `goal`, in the row of `goal`. */
  #isBefore({ row, column }: Place): boolean {
    const from = this.#at.row === row ? this.#at.column : 0;
    return this.#at.row <= row && column >= MIN_COLUMNS && column > from;
  }

  #place({ row, column }: Place, isShown: boolean): string {
    const isThere = this.#at.row === row && this.#at.column === column;
    let text = isThere ? '' : this.#goTo(row) + (column > 0 ? `\x1b[${column + 1}G` : '');
    this.#at = { row, column };
    if (this.#isCursorShown !== isShown) text += isShown ? SHOW_CURSOR : HIDE_CURSOR;
    this.#isCursorShown = isShown;
    return text;
  }

  /** Line feeds lead down, since `CSI B` ends at the bottom of a screen in which rows were wrapped. */
  #goTo(row: number): string {
    const down = row - this.#at.row;
    if (down === 0) return '\r';
    return down > 0 ? `\r${'\n'.repeat(down)}` : `\r\x1b[${-down}A`;
  }

  /** Rows of the screen from the top of the live region to the cursor, in a window of `columns` now. */
  #rowsAbove(columns: number): number {
    const { row, column } = this.#at;
    const above = this.#rows.slice(0, row).reduce((sum, text) => sum + rowsTaken(cells(text), columns), 0);
    if (this.#cutsCursorRow) return above;
    const width = cells(this.#rows[row] ?? '');
    // Behind the text the cursor stays in the last row of it.
    const within = column >= width ? rowsTaken(width, columns) - 1 : Math.floor(column / columns);
    return above + within;
  }
}

const UNKNOWN = -1;

/** How many rows a line of so many cells takes once it is wrapped. */
const rowsTaken = (width: number, columns: number) => Math.max(1, Math.ceil(width / columns));

/**
 * Rows as they fit: one column stays free, where some terminals scroll; rows too many are replaced by their
 * count.
 */
function fitted({ rows, cursor }: ScreenFrame, size: Size, isNarrow: boolean): ScreenFrame {
  const limit = Math.max(1, Math.min(size.rows - ROWS_ABOVE, MAX_LIVE_ROWS));
  const width = (isNarrow ? Math.min(size.columns, MIN_COLUMNS) : size.columns) - 1;
  const fit = (row: Row) => cutRow(clean(row, 'sgr').replaceAll('\n', ' '), width);
  const dropped = rows.length <= limit ? 0 : rows.length - limit + 1;
  const shown = rows.slice(dropped).map(fit);
  if (dropped > 0) shown.unshift(cutRow(`… ${dropped} more rows`, width));
  if (cursor === undefined) return { rows: shown };
  const row = cursor.row - dropped + (dropped > 0 ? 1 : 0);
  const isShown = row >= (dropped > 0 ? 1 : 0) && row < Math.max(1, shown.length);
  return isShown ? { rows: shown, cursor: { row, column: Math.min(cursor.column, width) } } : { rows: shown };
}

/**
 * A row as it is written: its colours end with it, and text after a cluster of disputed width is placed by
 * column.
 */
function printed(row: Row, columns: number): string {
  const text = isDisputed(row) && cells(row) < columns ? placed(row) : row;
  return endsPlain(row) ? text : text + RESET;
}

function placed(row: Row): string {
  let text = '';
  let column = 0;
  for (const part of sgrParts(row)) {
    if (part.isSgr) {
      text += part.text;
      continue;
    }
    for (const cluster of clusters(part.text)) {
      column += cluster.cells;
      text += isDisputed(cluster.text) ? `${cluster.text}\x1b[${column + 1}G` : cluster.text;
    }
  }
  return text;
}
