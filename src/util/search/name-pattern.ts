/** Patterns of ignore files and of `--glob`, compiled once: bounded, as they may come from untrusted text. */
import { matchesWildcards } from '../text/wildcards.ts';

type Token =
  | '*'
  | '?'
  | { readonly char: string }
  | { readonly ranges: readonly Range[]; readonly not: boolean };
type Range = readonly [from: string, to: string];

/** One name of a path; '**' any number of them. */
type Segment = '**' | readonly Token[];

export interface PathPattern {
  readonly segments: readonly Segment[];
  /** Only folders are meant: the pattern ended in a slash. */
  readonly foldersOnly: boolean;
}

const MAX_CHARS = 1000;

/**
 * Git's rules: a slash at the start or inside makes the pattern relative to the folder of its file, else it
 * is the name of something in any folder. undefined: it is too long, and matches nothing.
 */
export function pathPattern(text: string): PathPattern | undefined {
  if (text.length > MAX_CHARS) return undefined;
  const foldersOnly = text.endsWith('/') && !text.endsWith('\\/');
  const body = foldersOnly ? text.slice(0, -1) : text;
  const anchored = body.includes('/');
  const segments = body
    .split('/')
    .filter((segment) => segment !== '')
    .map((segment): Segment => (segment === '**' ? '**' : tokensOf(segment)));
  return { foldersOnly, segments: anchored ? segments : ['**', ...segments] };
}

export function matchesPath(
  { segments, foldersOnly }: PathPattern,
  path: readonly string[],
  isFolder: boolean,
): boolean {
  if (foldersOnly && !isFolder) return false;
  // What is meant by `dir/**` is in the folder, and is not the folder.
  if (segments.length > 1 && segments.at(-1) === '**' && path.length < segments.length) return false;
  return matchesWildcards(segments, path, (segment) => segment === '**', matchesName);
}

function matchesName(tokens: Segment, name: string): boolean {
  if (tokens === '**') return true;
  return matchesWildcards(tokens, [...name], (token) => token === '*', fits);
}

function fits(token: Token, char: string): boolean {
  if (typeof token === 'string') return true;
  if ('char' in token) return token.char === char;
  return token.ranges.some(([from, to]) => from <= char && char <= to) !== token.not;
}

function tokensOf(segment: string): readonly Token[] {
  const chars = [...segment];
  const tokens: Token[] = [];
  for (let at = 0; at < chars.length; at += 1) {
    const char = chars[at] as string;
    const close = char === '[' ? chars.indexOf(']', at + 2) : -1;
    if (char === '*' || char === '?') tokens.push(char);
    else if (char === '\\' && at + 1 < chars.length) {
      at += 1;
      tokens.push({ char: chars[at] as string });
    } else if (close > at) {
      tokens.push(classOf(chars.slice(at + 1, close)));
      at = close;
    } else tokens.push({ char });
  }
  return tokens;
}

function classOf(inside: readonly string[]): Token {
  const not = inside[0] === '!' || inside[0] === '^';
  const chars = not ? inside.slice(1) : inside;
  const ranges: Range[] = [];
  for (let at = 0; at < chars.length; at += 1) {
    const from = chars[at] as string;
    const isRange = chars[at + 1] === '-' && at + 2 < chars.length;
    ranges.push([from, isRange ? (chars[at + 2] as string) : from]);
    if (isRange) at += 2;
  }
  return { ranges, not };
}
