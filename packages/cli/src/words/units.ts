/** Formats figures. */

import { grouped, localDate } from '@turnwright/base/text/figures-and-times.ts';

export function duration(ms: number): string {
  if (ms < 1_000) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${(ms / 1_000).toFixed(1)} s`;
  const seconds = Math.round(ms / 1_000);
  if (seconds < 3_600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  const minutes = Math.round(seconds / 60);
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`;
}

export function tokens(count: number): string {
  if (count < 1_000) return `${count}`;
  if (count < 999_950) return `${(count / 1_000).toFixed(1)}k`;
  return `${(count / 1_000_000).toFixed(2)}M`;
}

export function dollars(usd: number): string {
  return `$${usd < 1 && usd !== 0 ? usd.toFixed(4) : usd.toFixed(2)}`;
}

/** `≥`: a model without a price was used, so the real cost is higher. */
export function cost({ usd, isUnpriced }: { readonly usd: number; readonly isUnpriced: boolean }): string {
  return `${isUnpriced ? '≥ ' : ''}${dollars(usd)}`;
}

export function percent(part: number, whole: number): string {
  return whole <= 0 ? '0 %' : `${Math.round((part / whole) * 100)} %`;
}

/** `3,104 lines` */
export function counted(count: number, word: string): string {
  return `${grouped(count)} ${word}${count === 1 ? '' : 's'}`;
}

/** How long ago something was, in a few characters. */
export function age(ms: number): string {
  const minutes = Math.floor(ms / 60_000);
  if (minutes < 1) return 'now';
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return `${hours} h ago`;
  return `${counted(Math.floor(hours / 24), 'day')} ago`;
}

/** `2026-11-30 09:05`, in the time zone of the user. */
export function localMinute(ms: number): string {
  const date = new Date(ms);
  return `${localDate(ms)} ${twoDigits(date.getHours())}:${twoDigits(date.getMinutes())}`;
}

const twoDigits = (value: number): string => String(value).padStart(2, '0');

/** Rows of cells as lines with aligned columns: words to the left, the figures after them to the right. */
export function alignedRows(rows: readonly (readonly string[])[], wordColumns: number): readonly string[] {
  const columns = Math.max(...rows.map((cells) => cells.length));
  const widths = Array.from({ length: columns }, (_, column) =>
    Math.max(...rows.map((cells) => cells[column]?.length ?? 0)),
  );
  const padded = (cell: string, column: number) =>
    column < wordColumns ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0);
  return rows.map((cells) => cells.map(padded).join('  ').trimEnd());
}
