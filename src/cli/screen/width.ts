/** The columns of a text on a terminal, and truncation and wrapping. */

const graphemes = new Intl.Segmenter(undefined, { granularity: 'grapheme' });

/** East Asian wide and full-width ranges, and the emoji planes. */
const WIDE: readonly (readonly [number, number])[] = [
  [0x1100, 0x115f],
  [0x2e80, 0x303e],
  [0x3041, 0x33ff],
  [0x3400, 0x4dbf],
  [0x4e00, 0x9fff],
  [0xa000, 0xa4cf],
  [0xa960, 0xa97f],
  [0xac00, 0xd7a3],
  [0xf900, 0xfaff],
  [0xfe30, 0xfe6f],
  [0xff00, 0xff60],
  [0xffe0, 0xffe6],
  [0x20000, 0x3fffd],
];

/** Columns of a text without control characters and line breaks. */
export function displayWidth(text: string): number {
  if (/^[\x20-\x7e]*$/.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemes.segment(text)) width += graphemeWidth(segment);
  return width;
}

/** Cuts a one-line text to at most `columns`, marking the cut with an ellipsis. */
export function cutToWidth(text: string, columns: number): string {
  if (columns <= 0) return '';
  if (displayWidth(text) <= columns) return text;
  let kept = '';
  let width = 0;
  for (const { segment } of graphemes.segment(text)) {
    width += graphemeWidth(segment);
    if (width > columns - 1) break;
    kept += segment;
  }
  return `${kept}…`;
}

/**
 * Wraps lines at blanks; continuation lines are indented by `indent` columns. A longer word is kept whole.
 */
export function wrapped(text: string, columns: number, indent: number): string {
  const lines: string[] = [];
  for (const paragraph of text.split('\n')) {
    const [first = '', ...words] = paragraph.match(/^\s*\S*|\s+\S+/g) ?? [];
    let line = first;
    for (const word of words) {
      if (displayWidth(line + word) <= columns) line += word;
      else {
        lines.push(line);
        line = ' '.repeat(indent) + word.trimStart();
      }
    }
    lines.push(line);
  }
  return lines.join('\n');
}

function graphemeWidth(grapheme: string): number {
  if (/^[\p{Mn}\p{Me}\p{Cf}]+$/u.test(grapheme)) return 0;
  if (/\p{Emoji_Presentation}|\uFE0F/u.test(grapheme)) return 2;
  const point = grapheme.codePointAt(0) ?? 0;
  return WIDE.some(([from, to]) => point >= from && point <= to) ? 2 : 1;
}
