/** Longer commands are not analysed: they are not read by users, and no rule is written for them. */
const MAX_COMMAND_CHARS = 10_000;

/**
 * No person writes more brackets and backticks than this, and they would exhaust the parser's stack and
 * time.
 */
const MAX_OPENERS = 200;

/**
 * Control, format, unassigned and invisible characters, and every space but the plain one, tab and line feed.
 */
const ODD = /[^\P{C}\t\n]|\p{Zl}|\p{Zp}|[^\P{Zs} ]|\p{Default_Ignorable_Code_Point}/u;

/**
 * A shell joins lines before it looks for names and operators, so a line continued behind `$`, within the
 * name of a variable or in front of a redirect is read differently than the parser reads it.
 */
const CONTINUED = /\$\w*\\\n|[\w}](?:\\\n)+[<>]/;

/** Why a command is not even given to the parser; undefined when it may be. */
export function whyUnreadable(command: string): string | undefined {
  if (command.length > MAX_COMMAND_CHARS) return `it is longer than ${MAX_COMMAND_CHARS} characters`;
  if ((command.match(/[({`]/g)?.length ?? 0) > MAX_OPENERS) return 'it is nested too deeply';
  if (/(?<!\\)(?:\\\\)*\\$/.test(command)) return 'it ends in a backslash';
  if (CONTINUED.test(command)) return 'a line is continued within a name or an operator';
  return ODD.test(command) ? 'it holds control or invisible characters' : undefined;
}

export interface Span {
  readonly pos: number;
  readonly end: number;
}

/** Whether a substitution goes on behind a here-document in it: bash does not read that as it is written. */
export function goesOnBehind(ends: readonly number[], substitutions: readonly Span[], text: string): boolean {
  return ends.some((at) =>
    substitutions.some(({ pos, end }) => pos < at && at < end && text.slice(at, end - 1).trim() !== ''),
  );
}

/**
 * Whether everything in the text that may begin a substitution is one the parser found. Its tree alone is not
 * proof enough: what a parser overlooks is what hostile text looks for. Bodies of quoted here-documents and
 * text in single quotes are inert.
 */
export function coversSubstitutions(text: string, found: readonly Span[], inert: readonly Span[]): boolean {
  const edges = new Set(found.flatMap(({ pos, end }) => (text[pos] === '`' ? [pos, end - 1] : [pos])));
  for (const { index } of text.matchAll(/\$\(|`|[<>]\(|\$\{[\s|]/g)) {
    if (!edges.has(index) && !inert.some(({ pos, end }) => index >= pos && index < end)) return false;
  }
  return true;
}
