import { join, sep } from 'node:path';
import type { FileStat } from '../../protocol/files.ts';
import { matchesSegments } from '../../util/text/wildcards.ts';
import type { ResolvedPath } from '../decide/real-path.ts';
import { foldedName } from './folded-name.ts';
import { identityOf, type LinkedFiles } from './other-names.ts';

/**
 * Path specifiers, read like lines of a .gitignore: `//abs/**` from the root of the file system, `~/x` from
 * home, `/x` and `a/b` from the session's folder, a bare name at any depth beneath it. What matches a folder
 * covers what is in it.
 */
export interface PathRuleContext {
  /** Where the call's relative paths count from. */
  readonly cwd: string;
  /** Where relative patterns count from: the session's own folder. */
  readonly root: string;
  readonly home: string | undefined;
  /** Compare without regard to case (macOS, Windows). What forbids always is. */
  readonly ignoreCase: boolean;
  readonly resolve: (path: string) => Promise<ResolvedPath>;
  /** Whether a folder is there. */
  readonly isFolder: (path: string) => Promise<boolean>;
  /** The names in a folder; [] if there is no folder, undefined if that cannot be determined. */
  readonly entries: (path: string) => Promise<readonly string[] | undefined>;
  /** What is at a path; undefined: nothing, or it cannot be looked at. */
  readonly stat: (path: string) => Promise<FileStat | undefined>;
  /**
   * The files with several names among those below a folder for which `covers` holds. Looked up once for each
   * `key`.
   */
  readonly linked: (key: string, base: string, covers: (path: string) => boolean) => Promise<LinkedFiles>;
}

/** What rules say about paths, for who cannot ask about each. */
export type PathPatternSource = 'denyRead' | 'denyWrite' | 'allowWrite';

/** Allows: the real path must match, seen from the real root of the pattern. */
export async function allowsPath(
  specifier: string,
  path: ResolvedPath,
  context: PathRuleContext,
): Promise<boolean> {
  const pattern = readPattern(specifier, context);
  if (pattern === undefined || path.real === undefined) return false;
  const root = (await context.resolve(pattern.root)).real;
  const fold = (name: string) =>
    context.ignoreCase ? name.normalize('NFC').toLowerCase() : name.normalize('NFC');
  return root !== undefined && matches({ segments: pattern.segments, root }, path.real, fold);
}

/**
 * Denies: any spelling of the path, relative to any spelling of the pattern's root, and any other name of the
 * file. For a path whose target cannot be determined only the spelling is compared.
 */
export async function forbidsPath(
  specifier: string,
  path: ResolvedPath,
  context: PathRuleContext,
): Promise<boolean> {
  const places = await placesOf(specifier, context);
  if (places === undefined) return true;
  const covers = (spelling: string) => places.some((place) => matches(place, spelling, foldedName));
  if (covers(path.spelled)) return true;
  if (path.real === undefined) return false;
  return covers(path.real) || hasForbiddenName(specifier, path.real, places, covers, context);
}

/** The paths that a specifier may mean, before and after links; undefined if they cannot be determined. */
export async function placesOf(
  specifier: string,
  context: PathRuleContext,
): Promise<readonly Pattern[] | undefined> {
  const pattern = readPattern(specifier, context);
  if (pattern === undefined) return undefined;
  const literal = pattern.segments.findIndex(isWild);
  const head = pattern.segments.slice(0, literal < 0 ? pattern.segments.length : literal);
  const tail = pattern.segments.slice(head.length);
  const places: Pattern[] = [pattern];
  const root = (await context.resolve(pattern.root)).real;
  if (root !== undefined) places.push({ segments: pattern.segments, root });
  const folder = literal === 0 ? undefined : (await context.resolve(join(pattern.root, ...head))).real;
  if (folder !== undefined) places.push({ segments: tail, root: folder });
  // A bare name may be that of a link in the folder itself.
  const [any, ...names] = pattern.segments;
  if (any === '**' && !names.some(isWild)) {
    const named = (await context.resolve(join(pattern.root, ...names))).real;
    if (named !== undefined) places.push({ segments: [], root: named });
  }
  return places;
}

const isWild = (segment: string) => segment.includes('*') || segment.includes('?');

/** Only a file with several names costs a look for them. */
async function hasForbiddenName(
  specifier: string,
  real: string,
  places: readonly Pattern[],
  covers: (path: string) => boolean,
  { stat, linked }: PathRuleContext,
): Promise<boolean> {
  const file = await stat(real);
  if (file?.kind !== 'file' || (file.links ?? 1) < 2) return false;
  for (const base of foldersOf(places)) {
    const forbidden = await linked(`${specifier}\0${base}`, base, covers);
    if (forbidden === undefined || forbidden.has(identityOf(file))) return true;
  }
  return false;
}

/** Where all lies that the pattern covers: what its first names lead to, else its root. */
function foldersOf(places: readonly Pattern[]): ReadonlySet<string> {
  const written = places[0]?.segments;
  const begins = written?.findIndex(isWild) !== 0;
  return new Set(places.flatMap(({ root, segments }) => (begins && segments === written ? [] : [root])));
}

export interface Pattern {
  readonly root: string;
  readonly segments: readonly string[];
}

/** undefined: it speaks of a home folder that is not known. */
export function readPattern(
  specifier: string,
  context: Pick<PathRuleContext, 'home' | 'root'>,
): Pattern | undefined {
  const text = specifier.replaceAll('\\', '/');
  if (text.startsWith('//')) return { root: sep, segments: split(text) };
  if (text === '~' || text.startsWith('~/')) {
    return context.home === undefined ? undefined : { root: context.home, segments: split(text.slice(1)) };
  }
  const segments = split(text);
  const anywhere = segments.length === 1 && !text.startsWith('/') && !text.startsWith('./');
  return { root: context.root, segments: anywhere && segments[0] !== '**' ? ['**', ...segments] : segments };
}

function split(text: string): string[] {
  return text.split('/').filter((segment) => segment !== '' && segment !== '.');
}

function matches({ segments, root }: Pattern, path: string, fold: (name: string) => string): boolean {
  const [names, above] = [namesIn(path, fold), namesIn(root, fold)];
  if (above.some((name, at) => names[at] !== name)) return false;
  // What lies in a folder that matches is matched with it.
  return matchesSegments([...segments.map(fold), '**'], names.slice(above.length));
}

const namesIn = (path: string, fold: (name: string) => string) =>
  path.split(sep).flatMap((name) => (name === '' ? [] : [fold(name)]));
