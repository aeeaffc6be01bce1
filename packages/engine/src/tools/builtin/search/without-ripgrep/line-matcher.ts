/** Finds a pattern in the lines of a text. A pattern that takes too long ends with an error. */
import { createContext, Script } from 'node:vm';

/** Parts of a line that match, as offsets. */
export type MatchedRange = readonly [from: number, to: number];

/** By index of the line, in order; without `all` only whether a line matches. */
export type FindLines = (
  lines: readonly string[],
  all: boolean,
) => ReadonlyMap<number, readonly MatchedRange[]>;

/** A backtracking pattern may take for ever on one line. */
const MAX_MS_A_FILE = 2_000;

const IN_LINES = `
found = [];
for (let at = 0; at < lines.length; at++) {
  pattern.lastIndex = 0;
  for (let m; (m = pattern.exec(lines[at])) !== null; ) {
    found.push([at, m.index, m.index + m[0].length]);
    if (!all) break;
    if (m[0] === '') pattern.lastIndex++;
  }
}`;
const IN_TEXT = `
found = [];
pattern.lastIndex = 0;
for (let m; (m = pattern.exec(text)) !== null; ) {
  found.push([0, m.index, m.index + m[0].length]);
  if (m[0] === '') pattern.lastIndex++;
}`;

interface Matching {
  readonly ignoreCase: boolean;
  /** A match may span lines, and a dot matches line breaks. */
  readonly multiline: boolean;
}

/** Throws a sentence for the model if the pattern is none. */
export function lineMatcher(source: string, { ignoreCase, multiline }: Matching): FindLines {
  const pattern = translatePattern(source, `gm${ignoreCase ? 'i' : ''}${multiline ? 's' : ''}`);
  const context = createContext({ pattern, found: [] });
  const inLines = new Script(IN_LINES);
  const inText = new Script(IN_TEXT);
  const run = (script: Script, given: object) => {
    Object.assign(context, given);
    try {
      script.runInContext(context, { timeout: MAX_MS_A_FILE });
    } catch (cause) {
      throw new Error(
        'The search failed: the pattern takes too long. Make it simpler, or search fewer files.',
        {
          cause,
        },
      );
    }
    return context['found'] as readonly (readonly [line: number, from: number, to: number])[];
  };
  return (lines, all) => {
    const byLine = new Map<number, MatchedRange[]>();
    const add = (line: number, match: MatchedRange) => {
      const before = byLine.get(line);
      if (before === undefined) byLine.set(line, [match]);
      else before.push(match);
    };
    if (!multiline) {
      for (const [line, from, to] of run(inLines, { lines, all })) add(line, [from, to]);
      return byLine;
    }
    const starts = listLineStarts(lines);
    let line = 0;
    for (const [, from, to] of run(inText, { text: lines.join('\n') })) {
      while (line + 1 < starts.length && (starts[line + 1] as number) <= from) line += 1;
      for (let at = line; at < starts.length && (at === line || (starts[at] as number) < to); at += 1) {
        const start = starts[at] as number;
        const length = lines[at]?.length ?? 0;
        add(at, [Math.max(0, from - start), Math.min(length, to - start)]);
      }
    }
    return byLine;
  };
}

function listLineStarts(lines: readonly string[]): readonly number[] {
  let at = 0;
  return lines.map((line) => {
    const start = at;
    at += line.length + 1;
    return start;
  });
}

const CLASSES: Readonly<Record<string, string>> = {
  alnum: 'A-Za-z0-9',
  alpha: 'A-Za-z',
  ascii: '\\x00-\\x7f',
  blank: ' \\t',
  cntrl: '\\x00-\\x1f\\x7f',
  digit: '0-9',
  graph: '!-~',
  lower: 'a-z',
  print: ' -~',
  punct: '!-\\/:-@\\[-`{-~',
  space: '\\s',
  upper: 'A-Z',
  word: '\\w',
  xdigit: '0-9A-Fa-f',
};

/** Rust's syntax as JavaScript's, where they differ and both can say it. */
function translatePattern(source: string, flags: string): RegExp {
  let more = flags;
  let text = source.replace(/^\(\?([imsu]+)\)/, (_, inline: string) => {
    for (const flag of inline) if (flag !== 'u' && !more.includes(flag)) more += flag;
    return '';
  });
  text = text
    .replaceAll('(?P<', '(?<')
    .replace(/\\A/g, '^')
    .replace(/\\z/g, '$')
    .replace(/\\x\{([\da-f]+)\}/gi, '\\u{$1}')
    .replace(/\[:(\w+):\]/g, (whole, name: string) => CLASSES[name] ?? whole);
  try {
    return new RegExp(text, `${more}u`);
  } catch {
    // Escapes that the strict syntax refuses.
  }
  try {
    return new RegExp(text, more);
  } catch (cause) {
    throw new Error(`The search failed: regex parse error: ${(cause as Error).message}`, { cause });
  }
}
