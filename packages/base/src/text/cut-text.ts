/** The first `max` characters, never ending inside a surrogate pair, which the API refuses. */
export function takeStart(text: string, max: number): string {
  if (text.length <= max) return text;
  const last = text.charCodeAt(max - 1);
  return text.slice(0, last >= 0xd800 && last <= 0xdbff ? max - 1 : max);
}

/**
 * Of a long text that is worked on in pieces, so that no second copy of it is in memory. Strings of more than
 * 128 KB are garbage that V8 collects late.
 */
export const PIECE_CHARS = 64 * 1024;

/** Pieces of at most `PIECE_CHARS` characters, none of which ends inside a surrogate pair. */
export function* splitPieces(text: string): Generator<string, void> {
  for (let at = 0; at < text.length; ) {
    const piece = takeStart(text.slice(at, at + PIECE_CHARS + 1), PIECE_CHARS);
    yield piece;
    at += piece.length;
  }
}

/** The last `max` characters, never starting inside a surrogate pair. */
export function takeEnd(text: string, max: number): string {
  if (text.length <= max) return text;
  const start = text.length - max;
  const first = text.charCodeAt(start);
  return text.slice(first >= 0xdc00 && first <= 0xdfff ? start + 1 : start);
}

export function newlinesIn(text: string): number {
  let count = 0;
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) count += 1;
  return count;
}

/** An id, key or cursor as sentences name it: what is none may have any length. */
export const shownId = (id: string): string => bounded(id, 200);

/** `text`, or its beginning with a note about the total length. */
export function bounded(text: string, max: number): string {
  return text.length <= max ? text : `${takeStart(text, max)}… (${text.length} characters in all)`;
}

export function withoutTrailingSlashes(path: string): string {
  let end = path.length;
  while (path[end - 1] === '/') end--;
  return path.slice(0, end);
}
