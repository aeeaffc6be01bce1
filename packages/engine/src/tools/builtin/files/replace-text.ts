/**
 * Literal replacement that ignores the kind of line end: ` ` in the search text matches `\r ` in the file,
 * which is kept.
 */

import { endsLinesWithCr } from './text-file.ts';

interface Replaced {
  readonly text: string;
  readonly count: number;
}

/** Replaces every occurrence of `from`, or the first one. `count` is how many there are. */
export function replaceText(text: string, from: string, to: string, all: boolean): Replaced {
  if (endsLinesWithCr(text)) {
    const withLf = (each: string) => each.replace(/\r\n?/g, '\n');
    const { text: after, count } = replaceText(withLf(text), withLf(from), withLf(to), all);
    return { text: after.replaceAll('\n', '\r'), count };
  }
  const plain = text.replaceAll('\r\n', '\n');
  const needle = from.replaceAll('\r\n', '\n');
  const hits = occurrences(plain, needle);
  if (hits.length === 0) return { text, count: 0 };

  const offsets = plain.length === text.length ? undefined : listCarriageReturns(text);
  const original = (at: number) => (offsets === undefined ? at : at + removedBefore(offsets, at));
  const crlfFile = offsets !== undefined && offsets.length * 2 > countNewlines(plain);
  const replacement = to.replaceAll('\r\n', '\n');

  let out = '';
  let done = 0;
  for (const hit of all ? hits : hits.slice(0, 1)) {
    const [start, end] = [original(hit), original(hit + needle.length)];
    const replaced = text.slice(start, end);
    const crlf = replaced.includes('\n') ? replaced.includes('\r\n') : crlfFile;
    out += text.slice(done, start) + (crlf ? replacement.replaceAll('\n', '\r\n') : replacement);
    done = end;
  }
  return { text: out + text.slice(done), count: hits.length };
}

function occurrences(text: string, needle: string): number[] {
  const hits: number[] = [];
  for (let at = text.indexOf(needle); at >= 0; at = text.indexOf(needle, at + needle.length)) hits.push(at);
  return hits;
}

/** Where, in the text without them, the `\r` of each `\r\n` was. Ascending. */
function listCarriageReturns(text: string): number[] {
  const offsets: number[] = [];
  for (let at = text.indexOf('\r\n'); at >= 0; at = text.indexOf('\r\n', at + 2))
    offsets.push(at - offsets.length);
  return offsets;
}

/** How many of `offsets` lie before `at`, by halving. */
function removedBefore(offsets: readonly number[], at: number): number {
  let [low, high] = [0, offsets.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((offsets[middle] as number) < at) low = middle + 1;
    else high = middle;
  }
  return low;
}

function countNewlines(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}
