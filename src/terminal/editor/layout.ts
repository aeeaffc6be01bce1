/** The rows that a text takes in a window, and where its places are in them. */
import { cells, cut } from '../text/cells.ts';
import { clean } from '../text/clean.ts';
import { CHIP, type Chip, clustersOf, type Piece } from './buffer.ts';

export interface LaidOutRow {
  /** The range of the text, without the line break. */
  readonly from: number;
  readonly to: number;
  /** What is drawn, from left to right. */
  readonly clusters: readonly DrawnCluster[];
}

interface DrawnCluster {
  readonly shown: string;
  readonly cells: number;
  /** Its place in the text. */
  readonly from: number;
  readonly isChip: boolean;
}

/** As wide as a person who types it expects. */
const TAB = '    ';

/** At least one row. Breaks behind blanks, else where the row is full. */
export function layOut({ text, chips }: Piece, columns: number): readonly LaidOutRow[] {
  const width = Math.max(1, columns);
  const rows: LaidOutRow[] = [];
  let start = 0;
  let chip = 0;
  for (const line of text.split('\n')) {
    let from = start;
    const drawn = clustersOf(line).map((cluster) => {
      const shown = drawnCluster(cluster, from, cluster === CHIP ? chips[chip++] : undefined, width);
      from += cluster.length;
      return shown;
    });
    rows.push(...rowsOf(drawn, start, start + line.length, width));
    start += line.length + 1;
  }
  return rows;
}

function drawnCluster(cluster: string, from: number, chip: Chip | undefined, width: number): DrawnCluster {
  const shown = cut(cluster === '\t' ? TAB : clean(chip?.label ?? cluster), width);
  return { shown, cells: cells(shown), from, isChip: chip !== undefined };
}

function rowsOf(
  line: readonly DrawnCluster[],
  start: number,
  end: number,
  width: number,
): readonly LaidOutRow[] {
  const rows: LaidOutRow[] = [];
  let first = 0;
  let used = 0;
  /** Behind the last blank, and the cells up to there. */
  let blank = { index: 0, used: 0 };
  const placeOfIndex = (index: number) => (index === 0 ? start : (line[index]?.from ?? end));
  const close = (next: number) => {
    rows.push({ from: placeOfIndex(first), to: placeOfIndex(next), clusters: line.slice(first, next) });
    first = next;
  };
  for (const [index, { cells: needed, shown }] of line.entries()) {
    while (used + needed > width && index > first) {
      const afterWord = blank.index > first;
      used = afterWord ? used - blank.used : 0;
      close(afterWord ? blank.index : index);
      blank = { index: first, used: 0 };
    }
    used += needed;
    if (shown.trim() === '' && shown !== '') blank = { index: index + 1, used };
  }
  close(line.length);
  return rows;
}

export interface Place {
  readonly row: number;
  readonly column: number;
}

/** At a break within a line it is the beginning of the next row. */
export function placeOf(rows: readonly LaidOutRow[], at: number): Place {
  let row = rows.findIndex(({ to }) => at <= to);
  if (row < 0) row = rows.length - 1;
  if (rows[row]?.to === at && rows[row + 1]?.from === at) row += 1;
  let column = 0;
  for (const { from, cells: used } of rows[row]?.clusters ?? []) if (from < at) column += used;
  return { row, column };
}

/** The place in a row that is nearest to a column, from the left. */
export function placeIn(rows: readonly LaidOutRow[], row: number, column: number): number {
  const found = rows[row];
  if (found === undefined) return 0;
  let used = 0;
  for (const cluster of found.clusters) {
    used += cluster.cells;
    if (used > column) return cluster.from;
  }
  // The end of a row that is broken is already the beginning of the next one.
  const isBroken = rows[row + 1]?.from === found.to;
  return (isBroken ? found.clusters.at(-1)?.from : undefined) ?? found.to;
}
