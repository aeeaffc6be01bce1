/**
 * Cleans texts of a server for the model or the user (T114): removes invisible characters, limits the length.
 */

/**
 * Control characters except tab and newline, soft hyphen, zero-width, bidi and tag characters, variation
 * selectors.
 */
const INVISIBLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is taken out
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u115f\u1160\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]|[\ufe00-\ufe0e]/gu;
const ESCAPE_SEQUENCE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: terminals' escape sequences start with one
  /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)?)/g;

/** At most `maxChars` characters, with a note if truncated. */
export function cleanText(text: string, maxChars: number): string {
  // Ten times the limit is enough to find that many visible characters, and bounds the work.
  const visible = text
    .slice(0, maxChars * 10)
    .replace(ESCAPE_SEQUENCE, '')
    .replace(/\r\n?/g, '\n')
    .replace(INVISIBLE, '');
  if (visible.length <= maxChars && text.length <= maxChars * 10) return visible;
  // Half of a surrogate pair is not valid text.
  return `${visible.slice(0, maxChars).replace(/[\ud800-\udbff]$/, '')}… (cut)`;
}
