/** What a command wrote, under the line of its call: the end of it, and more of it when it failed. */
import { counted } from './units.ts';
import { visible } from './visible.ts';
import { cutToWidth } from './width.ts';

const MOST_LINES = { ok: 4, failed: 12 } as const;
/** What the tool says of a command that wrote nothing. */
const NOTHING = '(Bash completed with no output)';

/** Plain lines, set in and cut to `columns`. Of a failure the first line stands beside the call already. */
export function commandOutput(text: string, isError: boolean, columns: number): readonly string[] {
  const written = isError ? text.slice(text.indexOf('\n') + 1 || text.length) : text;
  if (written.trim() === NOTHING) return [];
  const { lines, left } = lastLines(written, isError ? MOST_LINES.failed : MOST_LINES.ok);
  const before = left === 0 ? [] : [`… ${counted(left, 'line')} before`];
  return [...before, ...lines].map((line) =>
    cutToWidth(`    ${visible(line).replaceAll('\t', '  ')}`, columns),
  );
}

/** The end of a text, without blank lines around it, and how many lines are before that. */
function lastLines(text: string, most: number): { readonly lines: readonly string[]; readonly left: number } {
  const trimmed = text.replace(/^(?:[\t ]*\r?\n)+/, '').trimEnd();
  const lines = trimmed === '' ? [] : trimmed.split(/\r?\n/);
  const left = Math.max(0, lines.length - most);
  return { lines: lines.slice(left), left };
}
