/** What an edit changes, with line numbers. */
import { structuredPatch } from 'diff';
import type { Row } from '../renderer/frame.ts';
import { cells } from '../text/cells.ts';
import { clean } from '../text/clean.ts';
import type { Theme } from '../text/theme.ts';
import { wrap } from '../text/wrap.ts';

/**
 * A part of a patch, as `diff` and the results of Edit and Write have it: lines begin with ' ', '+', '-' or
 * '\'.
 */
export interface Hunk {
  readonly oldStart: number;
  readonly newStart: number;
  readonly lines: readonly string[];
}

interface Change {
  readonly before: string;
  readonly after: string;
}

const CONTEXT_LINES = 3;

/** The parts of a patch that turns `before` into `after`. */
function createHunks({ before, after }: Change): readonly Hunk[] {
  return structuredPatch('', '', before, after, '', '', { context: CONTEXT_LINES }).hunks;
}

/**
 * Rows of a patch: number, sign, text. Nothing is cut: a long line goes on below its text. Removed lines
 * carry their old number, the others the new one; `⋮` replaces the lines between two parts. `code` begins a
 * piece of code of the file's language (`Highlighter.begin`); default: lines are not coloured as code.
 */
export function diffRows(
  change: readonly Hunk[] | Change,
  columns: number,
  theme: Theme,
  code?: () => CodeRows,
): readonly Row[] {
  const hunks = 'before' in change ? createHunks(change) : change;
  const last = hunks.at(-1);
  const width = cells(String(Math.max(last?.oldStart ?? 0, last?.newStart ?? 0) + (last?.lines.length ?? 0)));
  return hunks.flatMap((hunk, at) => [
    ...(at === 0 ? [] : [theme.dim(`${' '.repeat(width)} ⋮`)]),
    ...hunkRows(hunk, width, columns, { theme, code: theme.hasBackgrounds ? code : undefined }),
  ]);
}

type CodeRows = (lines: readonly string[]) => readonly Row[];

interface Colours {
  readonly theme: Theme;
  readonly code: (() => CodeRows) | undefined;
}

function hunkRows(hunk: Hunk, width: number, columns: number, { theme, code }: Colours): readonly Row[] {
  const texts =
    code === undefined ? hunk.lines.map((line) => clean(line.slice(1))) : codeOf(hunk.lines, code);
  let oldLine = hunk.oldStart;
  let newLine = hunk.newStart;
  const rows: Row[] = [];
  for (const [index, line] of hunk.lines.entries()) {
    const sign = line[0] ?? ' ';
    const number = sign === '-' ? oldLine : newLine;
    if (sign !== '+' && sign !== '\\') oldLine += 1;
    if (sign !== '-' && sign !== '\\') newLine += 1;
    const paint = sign === '+' ? theme.added : sign === '-' ? theme.removed : code ? asItIs : theme.dim;
    const before = sign === '\\' ? ' '.repeat(width) : String(number).padStart(width);
    const hang = ' '.repeat(width + 3);
    const text = wrap(texts[index] ?? '', Math.max(1, columns - hang.length));
    for (const [at, row] of text.entries())
      rows.push(at === 0 ? `${theme.dim(before)} ${paint(`${sign} ${row}`.trimEnd())}` : hang + paint(row));
  }
  return rows;
}

const asItIs = (text: string): string => text;

/** Each line as code: removed ones as part of the text before, the others of the text after. */
function codeOf(lines: readonly string[], code: () => CodeRows): readonly Row[] {
  const side = (other: string) => {
    const own = lines.filter((line) => !line.startsWith(other)).map((line) => line.slice(1));
    return code()(own).values();
  };
  const [before, after] = [side('+'), side('-')];
  return lines.map((line) => {
    const [old, next] = [
      line.startsWith('+') ? undefined : before.next(),
      line.startsWith('-') ? undefined : after.next(),
    ];
    return (next ?? old)?.value ?? '';
  });
}
