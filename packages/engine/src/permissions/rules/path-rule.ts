import { join } from 'node:path';
import type { FileStat } from '@turnwright/base/persistent-files.ts';
import {
  isLiteralName,
  literalName,
  matchesNamesPattern,
  namesPattern,
} from '@turnwright/base/search/name-pattern.ts';
import type { ResolvedPath } from '../decide/resolved-path.ts';
import type { Steps } from '../decide/steps.ts';
import { ANY_CASE, coveredBy, EXACT, foldedPart, foldedSegment, forbids, type Take } from './covered.ts';
import { identifyFile, type LinkedFiles } from './other-names.ts';
import { type Pattern, readForbidden, readPattern } from './read-pattern.ts';
import type { StandingFiles, StandingRule } from './standing-files.ts';

/** What path rules are held against. What matches a folder covers what is in it. */
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
  readonly steps: Steps;
  /** What rules forbade before a command could give it another name. */
  readonly standing?: StandingFiles | undefined;
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
  if (root === undefined) return false;
  const folding = context.ignoreCase ? ANY_CASE : EXACT;
  const covered = coveredBy({ segments: pattern.segments, root }, path.real, folding, context.steps.take);
  if (covered !== 'itself' || pattern.foldersOnly !== true) return covered !== 'no';
  return context.isFolder(path.real);
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
  const places = await resolveRulePlaces(specifier, context);
  if (places === undefined) return true;
  const { spelled, real } = path;
  if (await isForbidden(spelled, places, context)) return true;
  if (real === undefined) return false;
  return (
    (real !== spelled && (await isForbidden(real, places, context))) ||
    (await hasForbiddenName(specifier, real, places, context)) ||
    (await context.standing?.covers(specifier, real, context)) === true
  );
}

/** Who looks for all that a rule forbids has a bound of its own: how many entries are looked at. */
const uncounted: Take = () => undefined;

/** What a rule forbids, for who looks for all of it. */
export async function standingRule(
  specifier: string,
  context: PathRuleContext,
): Promise<StandingRule | undefined> {
  const places = await resolveRulePlaces(specifier, context);
  return (
    places && {
      specifier,
      places,
      mayName: nameTest(places),
      covers: (path, kind) =>
        isForbiddenFile(path, places, uncounted) ||
        (kind === 'directory' && places.some((place) => forbids(place, path, uncounted) !== 'no')),
    }
  );
}

/** By the last name of each pattern. */
function nameTest(places: readonly Pattern[]): (name: string) => boolean {
  const wanted = places.map(({ segments }) => segments.findLast((segment) => segment !== '**'));
  // Of a class, folding may change what is left out.
  if (wanted.some((segment) => segment === undefined || segment.includes('['))) return () => true;
  const patterns = wanted.map((segment = '') => namesPattern([foldedSegment(segment)]));
  return (name) => patterns.some((pattern) => matchesNamesPattern(pattern, [foldedPart(name)]));
}

async function isForbidden(
  path: string,
  places: readonly Pattern[],
  { stat, steps: { take } }: PathRuleContext,
): Promise<boolean> {
  let isFolderMeant = false;
  for (const place of places) {
    const how = forbids(place, path, take);
    if (how === 'within' || (how === 'itself' && !place.foldersOnly)) return true;
    isFolderMeant ||= how === 'itself';
  }
  // What is not there yet may become a folder.
  return isFolderMeant && (await stat(path))?.kind !== 'file';
}

function isForbiddenFile(path: string, places: readonly Pattern[], take: Take): boolean {
  return places.some((place) => {
    const how = forbids(place, path, take);
    return how === 'within' || (how === 'itself' && !place.foldersOnly);
  });
}

type Places = Promise<readonly Pattern[] | undefined>;

/** Kept for one look at the disk, in which a rule may be held against many files. */
const knownPlaces = new WeakMap<PathRuleContext['resolve'], Map<string, Places>>();

/** The paths that a specifier may mean, before and after links; undefined if they cannot be determined. */
export function resolveRulePlaces(specifier: string, context: PathRuleContext): Places {
  const known = knownPlaces.get(context.resolve) ?? new Map<string, Places>();
  knownPlaces.set(context.resolve, known);
  const before = known.get(specifier);
  if (before !== undefined) return before;
  const places = lookUpPlaces(specifier, context);
  known.set(specifier, places);
  return places;
}

async function lookUpPlaces(specifier: string, context: PathRuleContext): Places {
  const patterns = readForbidden(specifier, context);
  if (patterns === undefined) return undefined;
  return (await Promise.all(patterns.map((pattern) => withLinks(pattern, context)))).flat();
}

async function withLinks(pattern: Pattern, context: PathRuleContext): Promise<readonly Pattern[]> {
  const { segments, root, ...rest } = pattern;
  const places: Pattern[] = [pattern];
  const real = (await context.resolve(root)).real;
  if (real !== undefined && real !== root) places.push({ ...pattern, root: real });
  // The first names may be those of links in the folder itself, also where they are meant at any depth.
  const names = segments[0] === '**' ? segments.slice(1) : segments;
  const wild = names.findIndex((segment) => !isLiteralName(segment));
  const head = names.slice(0, wild < 0 ? names.length : wild);
  if (head.length === 0) return places;
  const folder = (await context.resolve(join(root, ...head.map(literalName)))).real;
  if (folder !== undefined) places.push({ ...rest, segments: names.slice(head.length), root: folder });
  return places;
}

/** Only a file with several names costs a look for them. */
async function hasForbiddenName(
  specifier: string,
  real: string,
  places: readonly Pattern[],
  { stat, linked, steps }: PathRuleContext,
): Promise<boolean> {
  const covers = (path: string) => isForbiddenFile(path, places, steps.take);
  const file = await stat(real);
  if (file?.kind !== 'file' || (file.links ?? 1) < 2) return false;
  for (const base of listBaseFolders(places)) {
    const forbidden = await linked(`${specifier}\0${base}`, base, covers);
    if (forbidden === undefined || forbidden.has(identifyFile(file))) return true;
  }
  return false;
}

/** Where all lies that the patterns cover: the folder in which they begin, or what their names lead to. */
function listBaseFolders(places: readonly Pattern[]): ReadonlySet<string> {
  return new Set(
    places.flatMap(({ root, segments }) => {
      const begins = segments[0] !== undefined && isLiteralName(segments[0]);
      return begins ? [] : [root];
    }),
  );
}
