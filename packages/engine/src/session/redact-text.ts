/**
 * A text without what it says: each letter and digit is replaced by one of its kind, so that words, lines,
 * escapes and the estimate of its tokens stay as they are. Redacting twice changes nothing more.
 */

/** By the first code of a range: the letter that replaces its letters. */
const SCRIPT_LETTERS: readonly (readonly [from: number, letter: string])[] = [
  [0x80, '\u00b5'],
  [0xc0, '\u00e9'],
  [0x370, '\u03b1'],
  [0x590, '\u05d0'],
  [0x900, '\u0905'],
  [0x1100, '\u1100'],
  [0x1e00, '\u1e01'],
  [0x2000, '\u2071'],
  [0x2e80, '\u4e00'],
  [0xac00, '\uac00'],
  [0xd7b0, '\ufb00'],
];

/** Emoji too, and whatever is not of the basic plane. */
const WORDS = /[\p{L}\p{M}\p{N}\u{10000}-\u{10ffff}]/gu;

/**
 * Digits become 0, letters x, or a where they can be hexadecimal, by their case; punctuation and spaces stay.
 */
export function redactText(text: string): string {
  return text.replace(WORDS, (letter) => {
    const code = letter.codePointAt(0) as number;
    if (code > 0xffff) return '\u{1f986}';
    if (code < 0x3a) return '0';
    if (code < 0x5b) return code < 0x47 ? 'A' : 'X';
    if (code < 0x7b) return code < 0x67 ? 'a' : 'x';
    return (SCRIPT_LETTERS.findLast(([from]) => code >= from) ?? ['', letter])[1];
  });
}
