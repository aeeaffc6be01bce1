/**
 * Patterns of paths: one way to match, and three ways to read them. A pattern may come from untrusted text,
 * so its length and the steps that it takes are bounded, and no regular expression is made of it.
 *
 * - a line of an ignore file, or `--glob` of a search: `ignorePattern`, `matchesPath`; git's rules;
 * - names one by one, of permission rules and of the sandbox: `namesPattern`, `matchesNames`; where the
 *   pattern begins, and whether what it covers is forbidden too, is the business of `permissions/rules/`;
 * - a glob of settings, skills and memory: `matchesGlob`; braces, no classes, and a backslash is a slash.
 */
import { isSameList } from '../collections/made-once.ts';
import { matchesWildcards } from '../text/wildcards.ts';

/** A part of the pattern of one name: any text, any character, this character, or one of a class. */
export type NameToken =
  | '*'
  | '?'
  | { readonly char: string }
  | { readonly ranges: readonly Range[]; readonly named: readonly RegExp[]; readonly not: boolean };
type Token = NameToken;
type Range = readonly [from: string, to: string];

/** One name of a path; '**' any number of them. */
type Segment = '**' | readonly Token[];

export interface IgnorePattern {
  readonly segments: readonly Segment[];
  /** Only folders are meant: the pattern ended in a slash. */
  readonly foldersOnly: boolean;
}

const MAX_CHARS = 1000;

/**
 * Git's rules: a slash at the start or inside makes the pattern relative to the folder of its file, else it
 * is the name of something in any folder. undefined: it is too long, and matches nothing.
 */
export function ignorePattern(text: string): IgnorePattern | undefined {
  if (text.length > MAX_CHARS) return undefined;
  const foldersOnly = text.endsWith('/') && !text.endsWith('\\/');
  const body = foldersOnly ? text.slice(0, -1) : text;
  const anchored = body.includes('/');
  const segments = body
    .split('/')
    .filter((segment) => segment !== '')
    .map((segment): Segment => (segment === '**' ? '**' : parseTokens(segment)));
  return { foldersOnly, segments: anchored ? segments : ['**', ...segments] };
}

export function matchesPath(
  { segments, foldersOnly }: IgnorePattern,
  path: readonly string[],
  isFolder: boolean,
): boolean {
  if (foldersOnly && !isFolder) return false;
  // What is meant by `dir/**` is in the folder, and is not the folder.
  if (segments.length > 1 && segments.at(-1) === '**' && path.length < segments.length) return false;
  return matchesWildcards(
    segments,
    path,
    (segment) => segment === '**',
    (tokens, name) => matchesName(tokens, name),
  );
}

/** A pattern of names one by one, read once: `name` is one that means itself alone. */
export type NamesPattern = readonly (Segment | { readonly name: string })[];

export function namesPattern(segments: readonly string[]): NamesPattern {
  return segments.map((segment) => {
    if (segment === '**') return segment;
    return isLiteralName(segment) ? { name: literalName(segment) } : compiled(segment);
  });
}

/** The same for names one by one, each as it is written; `**` any number of them. */
export function matchesNames(
  segments: readonly string[],
  names: readonly string[],
  count?: (steps: number) => void,
): boolean {
  return matchesNamesPattern(namesPattern(segments), names, count);
}

export function matchesNamesPattern(
  pattern: NamesPattern,
  names: readonly string[],
  count?: (steps: number) => void,
): boolean {
  return matchesWildcards(
    pattern,
    names,
    (part) => part === '**',
    (part, name) =>
      typeof part === 'object' && 'name' in part ? part.name === name : matchesName(part, name, count),
    count,
  );
}

/** It means one name alone. */
export function isLiteralName(segment: string): boolean {
  return segment !== '**' && compiled(segment).every(isChar);
}

/** The name that a literal one means, without its backslashes. */
export function literalName(segment: string): string {
  return compiled(segment)
    .map((token) => (isChar(token) ? token.char : ''))
    .join('');
}

/** A name as the pattern that means it alone. */
export function quotedName(name: string): string {
  return name.replace(/[\\[*?]/g, '\\$&');
}

const isChar = (token: Token): token is { readonly char: string } =>
  typeof token !== 'string' && 'char' in token;

const MAX_COMPILED = 1000;
const known = new Map<string, readonly Token[]>();

/** Rules are held against many paths, so what was read of a name is kept. */
function compiled(segment: string): readonly Token[] {
  const before = known.get(segment);
  if (before !== undefined) return before;
  if (known.size >= MAX_COMPILED) known.clear();
  const tokens = parseTokens(segment);
  known.set(segment, tokens);
  return tokens;
}

function matchesName(tokens: Segment, name: string, count?: (steps: number) => void): boolean {
  if (tokens === '**') return true;
  count?.(name.length >> 5);
  return matchesWildcards(tokens, [...name], (token) => token === '*', fits, count);
}

function fits(token: Token, char: string): boolean {
  if (typeof token === 'string') return true;
  if ('char' in token) return token.char === char;
  const { ranges, named, not } = token;
  const holds =
    ranges.some(([from, to]) => from <= char && char <= to) || named.some((kind) => kind.test(char));
  return holds !== not;
}

/** The parts of the pattern of one name. */
export function parseTokens(segment: string): readonly Token[] {
  const chars = [...segment];
  const tokens: Token[] = [];
  for (let at = 0; at < chars.length; at += 1) {
    const char = chars[at] as string;
    const close = char === '[' ? endOfClass(chars, at) : -1;
    if (char === '*' || char === '?') tokens.push(char);
    else if (char === '\\' && at + 1 < chars.length) {
      at += 1;
      tokens.push({ char: chars[at] as string });
    } else if (close > at) {
      tokens.push(parseClass(chars.slice(at + 1, close)));
      at = close;
    } else tokens.push({ char });
  }
  return tokens;
}

/** Where the bracket that opens at `start` is closed; -1: nowhere, so that it means itself. */
function endOfClass(chars: readonly string[], start: number): number {
  // A bracket that is the first character of a class belongs to it.
  const first = start + (chars[start + 1] === '!' || chars[start + 1] === '^' ? 2 : 1);
  for (let at = first; at < chars.length; at += 1) {
    if (chars[at] === '\\') at += 1;
    else if (chars[at] === '[' && chars[at + 1] === ':') at = Math.max(at, chars.indexOf(']', at));
    else if (chars[at] === ']' && at > first) return at;
  }
  return -1;
}

const NAMED: Readonly<Record<string, RegExp>> = {
  alnum: /[\p{L}\p{N}]/u,
  alpha: /\p{L}/u,
  blank: /[ \t]/,
  cntrl: /\p{Cc}/u,
  digit: /\d/,
  graph: /[^\s\p{C}]/u,
  lower: /\p{Ll}/u,
  print: /[^\p{C}]/u,
  punct: /[!-/:-@[-`{-~]/,
  space: /\s/,
  upper: /\p{Lu}/u,
  xdigit: /[\da-f]/i,
};

function parseClass(inside: readonly string[]): Token {
  const not = inside[0] === '!' || inside[0] === '^';
  const named: RegExp[] = [];
  const text = inside
    .slice(not ? 1 : 0)
    .join('')
    .replace(/\[:(\w+):\]/g, (written, name: string) => {
      const kind = Object.hasOwn(NAMED, name) ? NAMED[name] : undefined;
      if (kind === undefined) return written;
      named.push(kind);
      return '';
    });
  const chars = [...text.matchAll(/\\?([\s\S])/gu)].map(([written, char = '']) => ({
    char,
    isSign: written === '-',
  }));
  const ranges: Range[] = [];
  for (let at = 0; at < chars.length; at += 1) {
    const from = chars[at]?.char as string;
    const isRange = chars[at + 1]?.isSign === true && at + 2 < chars.length;
    ranges.push([from, isRange ? (chars[at + 2]?.char as string) : from]);
    if (isRange) at += 2;
  }
  return { ranges, named, not };
}

const MAX_GLOB_CHARS = 300;
const MAX_ALTERNATIVES = 64;

/**
 * Whether a glob means this path, absolute or relative: `*` and `?` within one name, `**` for any number of
 * names, `{a,b}`. One that is too long means nothing.
 */
export function matchesGlob(pattern: string, path: string): boolean {
  if (pattern.length > MAX_GLOB_CHARS) return false;
  const alternatives = expandBraces(pattern.replaceAll('\\', '/'));
  const names = split(path.replaceAll('\\', '/'));
  return alternatives.some((each) => matchesNamesPattern(split(each).map(parseGlobName), names));
}

const split = (path: string) => path.split('/').filter((segment) => segment !== '' && segment !== '.');

/** In a glob of settings a bracket means itself. */
const parseGlobName = (name: string): Segment =>
  name === '**' ? name : [...name].map((char) => (char === '*' || char === '?' ? char : { char }));

/** Every expansion of the braces; the text itself when there would be too many, or they do not close. */
export function expandBraces(pattern: string): readonly string[] {
  let readings: readonly string[] = [pattern];
  for (;;) {
    const next: string[] = [];
    for (const reading of readings) {
      const open = /\{([^{}]*,[^{}]*)\}/.exec(reading);
      const [head, tail] = open
        ? [reading.slice(0, open.index), reading.slice(open.index + open[0].length)]
        : [reading, ''];
      const alternatives = open?.[1]?.split(',') ?? [''];
      if (next.length + alternatives.length > MAX_ALTERNATIVES) return [pattern];
      next.push(...alternatives.map((each) => `${head}${each}${tail}`));
    }
    if (isSameList(next, readings)) return next;
    readings = next;
  }
}
