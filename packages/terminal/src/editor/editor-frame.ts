/** The draft as rows: its mark, the text with the cursor in it, and below it a list or the search. */
import type { Row, ScreenFrame, Size } from '../renderer/frame.ts';
import { cells, cutRow } from '../text/cells.ts';
import type { Theme } from '../text/theme.ts';
import { oneLine } from '../text/visible.ts';
import type { Buffer } from './buffer.ts';
import { type LaidOutRow, layOut, locateCursor } from './layout.ts';

/** Cells of the mark before the first row, and of the margin before the others. */
const MARK = 2;
/** The cursor behind a full row needs one, too. */
const CURSOR = 1;

export const textWidth = (columns: number): number => Math.max(1, columns - MARK - CURSOR);

interface Drawn {
  readonly buffer: Buffer;
  /** Of one cell, before the first row. */
  readonly mark: Row;
  /** Shown when there is no text. */
  readonly placeholder: string;
  /** Rows below the text, given the most of them. */
  readonly list: (columns: number, most: number) => readonly Row[];
  /** The search of the history has the cursor. */
  readonly search: { readonly label: string; readonly query: string } | undefined;
}

/** At most `rows` rows, of which the text has three at least, if it needs them. */
export function editorFrame(drawn: Drawn, { columns, rows: maxRows }: Size, theme: Theme): ScreenFrame {
  const laidOut = layOut(drawn.buffer, textWidth(columns));
  const place = locateCursor(laidOut, drawn.buffer.cursor);
  const forSearch = drawn.search === undefined ? 0 : 1;
  const list = drawn.list(columns - CURSOR, Math.max(0, maxRows - forSearch - Math.min(laidOut.length, 3)));
  const window = fitWindow(laidOut.length, place.row, Math.max(1, maxRows - forSearch - list.length));
  const shown = laidOut.slice(window.first, window.first + window.count).map((row, index) => {
    const mark = window.first + index === 0 ? `${drawn.mark} ` : ' '.repeat(MARK);
    return mark + formatRow(row, theme);
  });
  if (drawn.buffer.text === '') shown[0] += theme.dim(cutRow(drawn.placeholder, textWidth(columns)));
  const count = (hidden: number, where: string) =>
    hidden > 0 ? [theme.dim(cutRow(`  … ${hidden} rows ${where}`, columns - CURSOR))] : [];
  const above = count(window.above, 'above');
  const text = [...above, ...shown, ...count(window.below, 'below')];
  if (drawn.search === undefined)
    return {
      rows: [...text, ...list],
      cursor: { row: above.length + place.row - window.first, column: MARK + place.column },
    };
  const search = cutRow(`  ${drawn.search.label}: ${oneLine(drawn.search.query)}`, columns - CURSOR);
  return {
    rows: [...text, theme.accent(search), ...list],
    cursor: { row: text.length, column: cells(search) },
  };
}

function formatRow({ clusters }: LaidOutRow, theme: Theme): Row {
  return clusters.map(({ shown, isChip }) => (isChip ? theme.accent(shown) : shown)).join('');
}

/** The rows around the cursor that fit, with a row for each count of those that do not. */
function fitWindow(total: number, cursor: number, room: number) {
  if (total <= room) return { first: 0, count: total, above: 0, below: 0 };
  // Too little room for counts.
  if (room < 4) {
    const first = Math.max(0, Math.min(cursor - room + 1, total - room));
    return { first, count: room, above: 0, below: 0 };
  }
  if (cursor < room - 1) return { first: 0, count: room - 1, above: 0, below: total - room + 1 };
  if (cursor >= total - room + 1)
    return { first: total - room + 1, count: room - 1, above: total - room + 1, below: 0 };
  const first = cursor - Math.floor((room - 2) / 2);
  return { first, count: room - 2, above: first, below: total - first - (room - 2) };
}
