/** The rows that a text takes in a window, and where its places are in them. */
import { cells, currentWidths, cutRow, type WidthTable } from '../text/cells.ts';
import { clean } from '../text/clean.ts';
import { CHIP, type Chip, type Piece, splitClusters } from './buffer.ts';

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
  /** Its place, from the beginning of the row. */
  readonly offset: number;
  readonly isChip: boolean;
}

/** As wide as a person who types it expects. */
const TAB = '    ';

/**
 * Rows of lines that were seen, with places from the beginning of the line: most lines stay when a key is
 * pressed.
 */
const seen = new WeakMap<WidthTable, Map<string, readonly LaidOutRow[]>>();
const MOST_SEEN = 5_000;

/** At least one row. Breaks behind blanks, else where the row is full. */
export function layOut({ text, chips }: Piece, columns: number): readonly LaidOutRow[] {
  const width = Math.max(1, columns);
  const rows: LaidOutRow[] = [];
  let start = 0;
  let chip = 0;
  for (const line of text.split('\n')) {
    const found = line.includes(CHIP) ? wrapLine(line, width, () => chips[chip++]) : seenRows(line, width);
    for (const row of found) rows.push({ ...row, from: start + row.from, to: start + row.to });
    start += line.length + 1;
  }
  return rows;
}

function seenRows(line: string, width: number): readonly LaidOutRow[] {
  const widths = currentWidths();
  const lines = seen.get(widths) ?? new Map<string, readonly LaidOutRow[]>();
  seen.set(widths, lines);
  const key = `${width} ${line}`;
  const known = lines.get(key);
  if (known !== undefined) return known;
  if (lines.size >= MOST_SEEN) lines.clear();
  const made = wrapLine(line, width, () => undefined);
  lines.set(key, made);
  return made;
}

function wrapLine(line: string, width: number, nextChip: () => Chip | undefined): readonly LaidOutRow[] {
  const rows: LaidOutRow[] = [];
  let row: DrawnCluster[] = [];
  let from = 0;
  let at = 0;
  let used = 0;
  /** Behind the last blank of the row: its clusters up to there. */
  let blank = 0;
  const close = (count: number) => {
    const rest = row.slice(count);
    const to = from + (rest[0]?.offset ?? at - from);
    rows.push({ from, to, clusters: row.slice(0, count) });
    row = rest.map((cluster) => ({ ...cluster, offset: cluster.offset - (to - from) }));
    from = to;
    used = row.reduce((sum, cluster) => sum + cluster.cells, 0);
    blank = 0;
  };
  for (const cluster of splitClusters(line)) {
    const chip = cluster === CHIP ? nextChip() : undefined;
    const shown = cutRow(shownCluster(chip?.label ?? cluster), width);
    const needed = cells(shown);
    while (used + needed > width && row.length > 0) close(blank > 0 ? blank : row.length);
    row.push({ shown, cells: needed, offset: at - from, isChip: chip !== undefined });
    at += cluster.length;
    used += needed;
    if (shown !== '' && shown.trim() === '') blank = row.length;
  }
  close(row.length);
  return rows;
}

/** A mark without a letter before it must not join with what is drawn before it. */
const LONE_MARK = /^[\p{M}\u200d]/u;

function shownCluster(cluster: string): string {
  if (cluster === '\t') return TAB;
  return clean(LONE_MARK.test(cluster) ? `◌${cluster}` : cluster);
}

interface Place {
  readonly row: number;
  readonly column: number;
}

/** At a break within a line it is the beginning of the next row. */
export function locateCursor(rows: readonly LaidOutRow[], at: number): Place {
  let row = rows.findIndex(({ to }) => at <= to);
  if (row < 0) row = rows.length - 1;
  if (rows[row]?.to === at && rows[row + 1]?.from === at) row += 1;
  let column = 0;
  const found = rows[row];
  for (const { offset, cells: used } of found?.clusters ?? [])
    if (found !== undefined && found.from + offset < at) column += used;
  return { row, column };
}

/** The place in a row that is nearest to a column, from the left. */
export function placeIn(rows: readonly LaidOutRow[], row: number, column: number): number {
  const found = rows[row];
  if (found === undefined) return 0;
  let used = 0;
  for (const cluster of found.clusters) {
    used += cluster.cells;
    if (used > column) return found.from + cluster.offset;
  }
  // The end of a row that is broken is already the beginning of the next one.
  const isBroken = rows[row + 1]?.from === found.to;
  return isBroken ? found.from + (found.clusters.at(-1)?.offset ?? 0) : found.to;
}
