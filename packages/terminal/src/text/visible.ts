/**
 * Makes text of a model or a tool safe to show: whatever would move the cursor, change colors, ring the bell
 * or hide and reorder text is replaced by visible characters.
 */

const UNSAFE =
  /\r\n|(?![\n\t])\p{Cc}|[\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]|[\u{e0000}-\u{e007f}]/gu;

/** Several lines: line feeds and tabs are kept. */
export function visible(text: string): string {
  return text.replace(UNSAFE, picture);
}

/** One line: breaks become a mark, runs of blanks one blank. */
export function oneLine(text: string): string {
  return visible(text.trim().replace(/\r?\n/g, ' ⏎ ')).replace(/[\t ]+/g, ' ');
}

function picture(match: string): string {
  if (match === '\r\n') return '\n';
  const code = match.codePointAt(0) ?? 0;
  if (code < 0x20) return String.fromCodePoint(0x2400 + code);
  if (code === 0x7f) return '␡';
  return `<U+${code.toString(16).toUpperCase().padStart(4, '0')}>`;
}
