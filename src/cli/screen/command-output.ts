/** The output of a command, under the line of its call: its end, and more of it on failure. */
import { counted } from './units.ts';
import { visible } from './visible.ts';
import { cutToWidth } from './width.ts';

const MOST_LINES = { ok: 4, failed: 12 } as const;
/** Text of the tool for a command without output. */
const NOTHING = '(Bash completed with no output)';

/**
 * Plain lines, indented and cut to `columns`. The first line of a failure is shown beside the call already.
 */
export function commandOutput(text: string, isError: boolean, columns: number): readonly string[] {
  const written = isError ? text.slice(text.indexOf('\n') + 1 || text.length) : text;
  if (written.trim() === NOTHING) return [];
  const { lines, left } = lastLines(written, isError ? MOST_LINES.failed : MOST_LINES.ok);
  const before = left === 0 ? [] : [`… ${counted(left, 'line')} before`];
  return [...before, ...lines].map((line) =>
    cutToWidth(`    ${visible(line).replaceAll('\t', '  ')}`, columns),
  );
}

/** The end of a text, without surrounding blank lines, and the number of lines before it. */
function lastLines(text: string, most: number): { readonly lines: readonly string[]; readonly left: number } {
  const trimmed = text.replace(/^(?:[\t ]*\r?\n)+/, '').trimEnd();
  const lines = trimmed === '' ? [] : trimmed.split(/\r?\n/);
  const left = Math.max(0, lines.length - most);
  return { lines: lines.slice(left), left };
}
