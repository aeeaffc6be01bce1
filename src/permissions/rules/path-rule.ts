import { join, sep } from 'node:path';
import type { FileStat } from '../../protocol/files.ts';
import { isLiteralName, literalName, matchesNames } from '../../util/search/name-pattern.ts';
import type { ResolvedPath } from '../decide/real-path.ts';
import type { Steps } from '../decide/steps.ts';
import { foldedName } from './folded-name.ts';
import { identityOf, type LinkedFiles } from './other-names.ts';
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
  const fold = (name: string) =>
    context.ignoreCase ? name.normalize('NFC').toLowerCase() : name.normalize('NFC');
  if (root === undefined) return false;
  const { take } = context.steps;
  const covered = coveredBy({ segments: pattern.segments, root }, path.real, { fold, take });
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
  const places = await placesOf(specifier, context);
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
  const places = await placesOf(specifier, context);
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
  const patterns = wanted.map((segment = '') => [foldedSegment(segment)]);
  return (name) => patterns.some((pattern) => matchesNames(pattern, [foldedName(name)]));
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

/** Longer names are none of a disk. */
const MOST_OF_A_NAME = 255;
const MOST_REMEMBERED = 10_000;

type Places = Promise<readonly Pattern[] | undefined>;

/** Kept for one look at the disk, in which a rule may be held against many files. */
const knownPlaces = new WeakMap<PathRuleContext['resolve'], Map<string, Places>>();

/** The paths that a specifier may mean, before and after links; undefined if they cannot be determined. */
export function placesOf(specifier: string, context: PathRuleContext): Places {
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
  for (const base of foldersOf(places)) {
    const forbidden = await linked(`${specifier}\0${base}`, base, covers);
    if (forbidden === undefined || forbidden.has(identityOf(file))) return true;
  }
  return false;
}

/** Where all lies that the patterns cover: the folder in which they begin, or what their names lead to. */
function foldersOf(places: readonly Pattern[]): ReadonlySet<string> {
  return new Set(
    places.flatMap(({ root, segments }) => {
      const begins = segments[0] !== undefined && isLiteralName(segments[0]);
      return begins ? [] : [root];
    }),
  );
}

/** How a pattern speaks of a path: of what is there, or of a folder above it. */
type Covered = 'no' | 'itself' | 'within';

type Take = Steps['take'];
type Fold = (name: string) => string;

function coveredBy(
  { segments, root }: Pattern,
  path: string,
  {
    fold,
    foldSegment = fold,
    take,
  }: { readonly fold: Fold; readonly foldSegment?: Fold; readonly take: Take },
): Covered {
  const [names, above] = [namesIn(path, fold), namesIn(root, fold)];
  take(1 + (path.length >> 5));
  if (above.some((name, at) => names[at] !== name)) return 'no';
  const below = names.slice(above.length);
  const wanted = segments.map(foldSegment);
  // What lies in a folder that matches is matched with it.
  if (below.length > 0 && matchesNames([...wanted, '**'], below.slice(0, -1), take)) return 'within';
  return matchesNames(wanted, below, take) ? 'itself' : 'no';
}

const namesIn = (path: string, fold: Fold) =>
  path.split(sep).flatMap((name) => (name === '' ? [] : [fold(name)]));

/** Folded for who forbids; what a backslash saved from being cut off is cut off with it. */
const foldedSegment = remembered((segment) => foldedName(segment.replace(/(?:\\?[. ])+$/, '')));
const foldedPart = remembered(foldedName);

/** Rules are held against many paths that have names in common. */
function remembered(fold: Fold): Fold {
  const known = new Map<string, string>();
  return (name) => {
    const before = known.get(name);
    if (before !== undefined) return before;
    const folded = fold(name);
    if (known.size >= MOST_REMEMBERED) known.clear();
    if (name.length <= MOST_OF_A_NAME) known.set(name, folded);
    return folded;
  };
}

/** `within`: also where a file of that name lies, of which a pattern of folders does not speak. */
function forbids(place: Pattern, path: string, take: Take): Covered {
  const folded = coveredBy(place, path, { fold: foldedPart, foldSegment: foldedSegment, take });
  // Of a class, folding may change what is left out.
  if (folded === 'within' || !place.segments.some((segment) => segment.includes('['))) return folded;
  const exact = coveredBy(place, path, { fold: (name) => name.normalize('NFC'), take });
  return exact === 'no' ? folded : exact;
}
