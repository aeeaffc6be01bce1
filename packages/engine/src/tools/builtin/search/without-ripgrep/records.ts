/** What a search prints about one file: records as ripgrep makes them. */
import type { FindLines, MatchedRange } from './line-matcher.ts';
import type { SearchRequest } from './search-arguments.ts';

/** Between groups of lines, also of different files. */
export const APART = '--';

export function* formatRecords(
  file: string,
  lines: readonly string[],
  find: FindLines,
  request: SearchRequest,
): Generator<string, void, void> {
  const found = find(lines, request.shows === 'matches');
  if (found.size === 0) return;
  if (request.shows === 'files') yield file;
  else if (request.shows === 'counts') yield `${file}\0${found.size}`;
  else if (request.shows === 'matches') yield* formatMatches(file, lines, found, request);
  else yield* linesAround(file, lines, found, request);
}

function* formatMatches(
  file: string,
  lines: readonly string[],
  found: ReadonlyMap<number, readonly MatchedRange[]>,
  request: SearchRequest,
): Generator<string, void, void> {
  for (const [at, matches] of found)
    for (const [from, to] of matches)
      if (to > from) yield record(file, at, ':', (lines[at] as string).slice(from, to), request);
}

function* linesAround(
  file: string,
  lines: readonly string[],
  found: ReadonlyMap<number, readonly MatchedRange[]>,
  request: SearchRequest,
): Generator<string, void, void> {
  const { before, after } = request;
  let last = -1;
  for (const match of found.keys()) {
    const from = Math.max(last + 1, match - before);
    if (before + after > 0 && last >= 0 && from > last + 1) yield APART;
    const to = Math.min(lines.length - 1, match + after);
    for (let at = from; at <= to; at += 1)
      yield record(file, at, found.has(at) ? ':' : '-', lines[at] as string, request);
    last = Math.max(last, to);
  }
}

function record(
  file: string,
  at: number,
  mark: ':' | '-',
  line: string,
  { lineNumbers, maxColumns }: SearchRequest,
): string {
  const text =
    line.length > maxColumns ? `${line.slice(0, maxColumns)} [... omitted end of long line]` : line;
  return `${file}\0${lineNumbers ? `${at + 1}${mark}` : ''}${text}`;
}
