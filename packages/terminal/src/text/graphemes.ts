/**
 * The grapheme clusters of a text: what a person takes for one character. In pieces, because the time of the
 * engine's segmenter grows with the square of the length: six seconds for a line of 80 kB.
 */
const segmenter = new Intl.Segmenter(undefined, { granularity: 'grapheme' });
const PRINTABLE_ASCII = /^[\x20-\x7e]*$/;
const PIECE_CHARS = 256;

export function* graphemes(text: string): Generator<string> {
  if (PRINTABLE_ASCII.test(text)) {
    yield* text;
    return;
  }
  let size = PIECE_CHARS;
  for (let at = 0; at < text.length; ) {
    const end = endOfPiece(text, at + size);
    const found = Array.from(segmenter.segment(text.slice(at, end)), ({ segment }) => segment);
    // The last one may go on in the next piece.
    if (end < text.length) found.pop();
    size = found.length === 0 ? size * 2 : PIECE_CHARS;
    for (const segment of found) {
      yield segment;
      at += segment.length;
    }
  }
}

/** Not between the halves of a pair. */
function endOfPiece(text: string, end: number): number {
  if (end >= text.length) return text.length;
  return (text.charCodeAt(end - 1) & 0xfc00) === 0xd800 ? end + 1 : end;
}
