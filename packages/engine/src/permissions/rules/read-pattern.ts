/** The specifiers of path rules, read like lines of a .gitignore. */
import { dirname, join, sep } from 'node:path';
import { isLiteralName, literalName, quotedName } from '@turnwright/base/search/name-pattern.ts';

/** A folder, and the names that are looked for beneath it. */
export interface Pattern {
  readonly root: string;
  /** Each a name in the syntax of ignore files, or `**`. */
  readonly segments: readonly string[];
  /** The specifier ends in a slash: a file of that name is not meant, only a folder. */
  readonly foldersOnly?: boolean;
}

interface PatternPlace {
  /** Where relative patterns count from: the session's own folder. */
  readonly root: string;
  /** What `~/` means; undefined: that is not known. */
  readonly home: string | undefined;
}

/**
 * What a rule that allows speaks of: `//abs/**` from the root of the file system, `~/x` from home, `/x` and
 * `a/b` from the session's folder, a bare name at any depth beneath it. undefined: it speaks of a home folder
 * that is not known.
 */
export function readPattern(specifier: string, place: PatternPlace): Pattern | undefined {
  const read = readStart(specifier, place);
  if (read === undefined) return undefined;
  const { isBare, ...pattern } = read;
  return isBare && pattern.segments.length === 1 ? anywhere(pattern) : pattern;
}

/**
 * What a rule that forbids speaks of, which is more: only a slash at the beginning ties it to a folder, and
 * what looks like a class of characters may also be written out, as in `[slug]`. The first one is the path as
 * it is written.
 */
export function readForbidden(specifier: string, place: PatternPlace): readonly Pattern[] | undefined {
  const read = readStart(specifier, place);
  if (read === undefined) return undefined;
  const { isAnchored, isBare, ...pattern } = read;
  const written = { ...pattern, segments: pattern.segments.map(withoutClasses) };
  const readings = isSame(written, pattern) ? [pattern] : [pattern, written];
  if (isAnchored) return readings;
  const everywhere = readings.map(anywhere);
  return isBare && pattern.segments.length === 1 ? everywhere : [...readings, ...everywhere];
}

/** The folder up to which a pattern is written out, or all of it. */
export function startOfPattern({ root, segments }: Pattern): string {
  const wild = segments.findIndex((segment) => !isLiteralName(segment));
  return join(root, ...segments.slice(0, wild < 0 ? undefined : wild).map(literalName));
}

function anywhere(pattern: Pattern): Pattern {
  const [first] = pattern.segments;
  if (first === '**' || first === undefined) return pattern;
  return { ...pattern, segments: ['**', ...pattern.segments] };
}

interface Start extends Pattern {
  /** It begins at a folder that it names. */
  readonly isAnchored: boolean;
  /** Nothing in front of the name says where it is. */
  readonly isBare: boolean;
}

function readStart(specifier: string, { home, root }: PatternPlace): Start | undefined {
  // Where folders are parted by backslashes, these part nothing else.
  const text = sep === '\\' ? specifier.replaceAll('\\', '/') : specifier;
  const folder = /[^\\]\/$/.test(text) ? { foldersOnly: true } : {};
  const isHome = text === '~' || text.startsWith('~/');
  const isRoot = text.startsWith('//');
  const base = isRoot ? sep : isHome ? home : root;
  if (base === undefined) return undefined;
  const { names, climbs } = split(isHome ? text.slice(1) : text);
  let start = base;
  for (let left = climbs; left > 0; left--) start = dirname(start);
  return {
    root: start,
    segments: names,
    ...folder,
    isAnchored: isHome || text.startsWith('/') || climbs > 0,
    isBare: !isHome && !/^\.{0,2}\//.test(text),
  };
}

/** The names of a path; `climbs` of those that lead upwards are left at its beginning. */
function split(text: string): { readonly names: readonly string[]; readonly climbs: number } {
  const names: string[] = [];
  let climbs = 0;
  for (const name of text.split('/')) {
    if (name === '' || name === '.') continue;
    const last = names.at(-1);
    if (name !== '..') names.push(name);
    else if (last === undefined) climbs++;
    else if (isLiteralName(last)) names.pop();
    else names.push(name);
  }
  return { names, climbs };
}

/** The name as it stands, with brackets that mean themselves. */
function withoutClasses(segment: string): string {
  return segment.replace(/(\\[\s\S])|\[/g, (sign, escaped?: string) => escaped ?? quotedName(sign));
}

function isSame(one: Pattern, other: Pattern): boolean {
  return one.segments.every((segment, at) => segment === other.segments[at]);
}
