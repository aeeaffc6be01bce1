/**
 * How many cells of a terminal a text takes, and cutting to that. Widths of emoji differ between terminals,
 * so the ones that differ are taken from a table, which the probe at the start sets (`width-probe.ts`).
 */
import stringWidth from 'string-width';
import { graphemes } from './graphemes.ts';
import { RESET, sgrParts, withoutSgr } from './sgr.ts';

/** Where terminals disagree. */
export interface WidthTable {
  /** One emoji without modifiers. */
  readonly emoji: number;
  /** An emoji and its skin tone are drawn as one. */
  readonly joinsSkinTone: boolean;
  /** Emoji that are connected by a zero-width joiner are drawn as one. */
  readonly joinsFamily: boolean;
  /** A character that a variation selector turns into an emoji. */
  readonly variation: number;
  /** A digit in a box. */
  readonly keycap: number;
}

/** What current terminals do, and string-width assumes. */
export const COMMON_WIDTHS: WidthTable = {
  emoji: 2,
  joinsSkinTone: true,
  joinsFamily: true,
  variation: 2,
  keycap: 2,
};

const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;

/** Widths of clusters that were seen, so that each is measured once. */
const seen = new Map<string, number>();
const MAX_SEEN = 4_096;
let table = COMMON_WIDTHS;

/** Another object whenever widths are others: for caches of what was measured. */
export const currentWidths = (): WidthTable => table;

export function setWidths(widths: WidthTable): void {
  table = widths;
  seen.clear();
}

/** Letters, punctuation, arrows and boxes that are one cell each, and join nothing. */
const NARROW =
  /^[\x20-\x7e\u00a1-\u00ac\u00ae-\u02ff\u0384-\u0482\u048a-\u052f\u2010-\u2027\u2030-\u2048\u2190-\u2193\u2500-\u25fc\u2713\u2717]*$/;

/** Cells of a row: no line breaks, and no control characters but SGR sequences, which take none. */
export function cells(text: string): number {
  if (PRINTABLE_ASCII.test(text)) return text.length;
  const shown = withoutSgr(text);
  if (NARROW.test(shown)) return shown.length;
  let width = 0;
  for (const cluster of graphemes(shown)) width += clusterCells(cluster);
  return width;
}

/** The grapheme clusters of a text without sequences, with their cells. */
export function* clusters(text: string): Generator<{ readonly text: string; readonly cells: number }> {
  for (const cluster of graphemes(text)) yield { text: cluster, cells: clusterCells(cluster) };
}

/** Cuts a row to at most `columns` cells, with an ellipsis where something is missing. */
export function cutRow(text: string, columns: number): string {
  if (columns <= 0) return '';
  if (cells(text) <= columns) return text;
  let kept = '';
  let width = 0;
  let isStyled = false;
  for (const part of sgrParts(text)) {
    if (part.isSgr) {
      isStyled = true;
      kept += part.text;
      continue;
    }
    for (const cluster of clusters(part.text)) {
      width += cluster.cells;
      if (width > columns - 1) return `${kept}…${isStyled ? RESET : ''}`;
      kept += cluster.text;
    }
  }
  return kept;
}

/**
 * A cluster that some terminal may draw in another width than its neighbours expect: what follows it on a row
 * is placed by its column.
 */
const DISPUTED = /[\u200d\ufe0f\u20e3]|\p{Emoji_Presentation}|\p{Emoji_Modifier}/u;

export const isDisputed = (text: string): boolean => DISPUTED.test(text);

function clusterCells(cluster: string): number {
  if (cluster.length === 1 && PRINTABLE_ASCII.test(cluster)) return 1;
  const known = seen.get(cluster);
  if (known !== undefined) return known;
  if (seen.size >= MAX_SEEN) seen.clear();
  const width = measured(cluster);
  seen.set(cluster, width);
  return width;
}

function measured(cluster: string): number {
  if (!isDisputed(cluster)) return stringWidth(cluster);
  if (/^[\d#*]\ufe0f?\u20e3$/.test(cluster)) return table.keycap;
  const members = cluster.split('\u200d').filter((part) => part !== '');
  if (members.length > 1)
    return table.joinsFamily ? table.emoji : members.reduce((sum, member) => sum + measured(member), 0);
  if (/.\p{Emoji_Modifier}/u.test(cluster)) return table.joinsSkinTone ? table.emoji : 2 * table.emoji;
  // Of a flag terminals take the two letters, each of one cell.
  if (/^\p{Regional_Indicator}/u.test(cluster)) return stringWidth(cluster);
  if (/^\p{Emoji_Presentation}/u.test(cluster)) return table.emoji;
  return cluster.includes('\ufe0f') ? table.variation : stringWidth(cluster);
}
