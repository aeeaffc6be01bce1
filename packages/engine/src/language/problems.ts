/** Problems that a language server reports, as plain data: what is new, and how a model reads them. */

import { relative } from 'node:path';
import { isInside } from '@turnwright/base/files/inside.ts';
import { isRecord } from '@turnwright/base/json-values.ts';
import { cleanText } from '@turnwright/base/text/clean-text.ts';

export interface CodeProblem {
  /** Both from 1. */
  readonly line: number;
  readonly column: number;
  readonly severity: 'error' | 'warning';
  /** As the server names it, such as `TS2322`. */
  readonly code?: string;
  readonly message: string;
}

export interface FileProblems {
  /** Absolute. */
  readonly path: string;
  readonly problems: readonly CodeProblem[];
}

/** Kept of one file; the errors first. */
const MAX_PROBLEMS = 200;
const MAX_MESSAGE_CHARS = 300;
const MAX_LINE = 10_000_000;

/** Errors and warnings of a server's list, the errors first. Entries that cannot be read are left out. */
export function readProblems(list: unknown, lineCount = MAX_LINE): readonly CodeProblem[] {
  if (!Array.isArray(list)) return [];
  const found = list.slice(0, 10 * MAX_PROBLEMS).flatMap((each: unknown) => readProblem(each, lineCount));
  return [...found.filter(isError), ...found.filter((each) => !isError(each))].slice(0, MAX_PROBLEMS);
}

export const isError = ({ severity }: CodeProblem): boolean => severity === 'error';

function readProblem(value: unknown, lineCount: number): readonly CodeProblem[] {
  if (!isRecord(value) || typeof value['message'] !== 'string') return [];
  const { severity = 1, code, message, source, range } = value;
  if (severity !== 1 && severity !== 2) return [];
  const start = isRecord(range) && isRecord(range['start']) ? range['start'] : {};
  const text = onOneLine(message, MAX_MESSAGE_CHARS);
  if (text === '') return [];
  const named = typeof code === 'number' && source === 'ts' ? `TS${code}` : (code ?? source);
  return [
    {
      line: Math.min(fromOne(start['line']), Math.max(1, lineCount)),
      column: fromOne(start['character']),
      severity: severity === 1 ? 'error' : 'warning',
      ...((typeof named === 'string' || typeof named === 'number') && { code: onOneLine(String(named), 60) }),
      message: text,
    },
  ];
}

/** Positions that cannot be are the first one. */
function fromOne(value: unknown): number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0 && value < MAX_LINE
    ? value + 1
    : 1;
}

/** A text of a server on one line, without what is invisible. */
export const onOneLine = (text: string, maxChars: number): string =>
  cleanText(text, maxChars).replaceAll(/\s+/g, ' ').trim();

/** Those of `now` that are not among `before`, wherever they have moved to. */
export function newProblems(
  before: readonly CodeProblem[],
  now: readonly CodeProblem[],
): readonly CodeProblem[] {
  const left = [...before];
  const matched = (found: CodeProblem, isHere: (other: CodeProblem) => boolean): boolean => {
    const at = left.findIndex((other) => isSameProblem(found, other) && isHere(other));
    if (at >= 0) left.splice(at, 1);
    return at >= 0;
  };
  const moved = now.filter((found) => !matched(found, ({ line }) => line === found.line));
  return moved.filter((found) => !matched(found, () => true));
}

const isSameProblem = (a: CodeProblem, b: CodeProblem): boolean =>
  a.message === b.message && a.code === b.code && a.severity === b.severity;

const MAX_ROWS = 20;
const MAX_ROWS_OF_ANOTHER = 5;
const MAX_CHARS = 3_000;

/** What of them the model is shown; `left`: how many are not. The first file is the one that was edited. */
export function boundProblems(files: readonly FileProblems[]): {
  readonly shown: readonly FileProblems[];
  readonly left: number;
} {
  let rows = 0;
  let chars = 0;
  let left = 0;
  const shown = files.flatMap(({ path, problems }, at) => {
    const kept = problems.filter(({ message }, row) => {
      const fits = rows < MAX_ROWS && chars < MAX_CHARS && (at === 0 || row < MAX_ROWS_OF_ANOTHER);
      if (!fits) left += 1;
      else {
        rows += 1;
        chars += path.length + message.length;
      }
      return fits;
    });
    return kept.length === 0 ? [] : [{ path, problems: kept }];
  });
  return { shown, left };
}

/** `src/a.ts:3:7 error TS2322: …`, a line each; the path is relative where the file is in the folder. */
export function describeProblems(files: readonly FileProblems[], root: string): string {
  const { shown, left } = boundProblems(files);
  const lines = shown.flatMap(({ path, problems }) =>
    problems.map(
      ({ line, column, severity, code, message }) =>
        `${shortenPath(path, root)}:${line}:${column} ${severity}${code === undefined ? '' : ` ${code}`}: ${message}`,
    ),
  );
  return [...lines, ...(left > 0 ? [`(and ${left} more)`] : [])].join('\n');
}

export const shortenPath = (path: string, root: string): string =>
  isInside(path, root) ? relative(root, path) : path;
