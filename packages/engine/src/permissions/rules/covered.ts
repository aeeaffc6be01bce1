/** Paths held against patterns, name by name: what was read of either serves all that it is held against. */
import { sep } from 'node:path';
import {
  matchesNamesPattern,
  type NamesPattern,
  namesPattern,
} from '@turnwright/base/search/name-pattern.ts';
import type { Steps } from '../decide/steps.ts';
import { foldedName } from './folded-name.ts';
import type { Pattern } from './read-pattern.ts';

/** Longer names are none of a disk. */
const MOST_OF_A_NAME = 255;
const MOST_REMEMBERED = 10_000;

/** How a pattern speaks of a path: of what is there, or of a folder above it. */
type Covered = 'no' | 'itself' | 'within';

export type Take = Steps['take'];
type Fold = (name: string) => string;

/** How names are compared. */
interface Folding {
  readonly name: Fold;
  readonly segment: Fold;
  /** What was read of paths and patterns that are held against many others. */
  readonly paths: Map<string, readonly string[]>;
  readonly patterns: WeakMap<Pattern, PreparedPattern>;
}

interface PreparedPattern {
  /** The names of the folder that it begins in. */
  readonly above: readonly string[];
  readonly itself: NamesPattern;
  /** What lies in a folder that matches is matched with it. */
  readonly within: NamesPattern;
}

const foldingBy = (name: Fold, segment = name): Folding => ({
  name,
  segment,
  paths: new Map(),
  patterns: new WeakMap(),
});

export function coveredBy(pattern: Pattern, path: string, folding: Folding, take: Take): Covered {
  const names = namesIn(path, folding, take);
  const { above, itself, within } = preparedBy(pattern, folding, take);
  take(1 + (above.length >> 3));
  if (above.some((name, at) => names[at] !== name)) return 'no';
  const below = names.slice(above.length);
  take(below.length >> 3);
  if (below.length > 0 && matchesNamesPattern(within, below.slice(0, -1), take)) return 'within';
  return matchesNamesPattern(itself, below, take) ? 'itself' : 'no';
}

function preparedBy(pattern: Pattern, folding: Folding, take: Take): PreparedPattern {
  const before = folding.patterns.get(pattern);
  if (before !== undefined) return before;
  const wanted = pattern.segments.map(folding.segment);
  const prepared = {
    above: namesIn(pattern.root, folding, take),
    itself: namesPattern(wanted),
    within: namesPattern([...wanted, '**']),
  };
  folding.patterns.set(pattern, prepared);
  return prepared;
}

const MOST_PATHS = 500;

function namesIn(path: string, { name: fold, paths }: Folding, take: Take): readonly string[] {
  const before = paths.get(path);
  if (before !== undefined) return before;
  take(path.length >> 3);
  const names = path.split(sep).flatMap((name) => (name === '' ? [] : [fold(name)]));
  if (paths.size >= MOST_PATHS) paths.clear();
  paths.set(path, names);
  return names;
}

/** Folded for who forbids; what a backslash saved from being cut off is cut off with it. */
export const foldedSegment = remembered((segment) => foldedName(segment.replace(/(?:\\?[. ])+$/, '')));
export const foldedPart = remembered(foldedName);

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

const FORBIDS = foldingBy(foldedPart, foldedSegment);
export const EXACT = foldingBy((name) => name.normalize('NFC'));
export const ANY_CASE = foldingBy((name) => name.normalize('NFC').toLowerCase());

/** `within`: also where a file of that name lies, of which a pattern of folders does not speak. */
export function forbids(place: Pattern, path: string, take: Take): Covered {
  const folded = coveredBy(place, path, FORBIDS, take);
  // Of a class, folding may change what is left out.
  if (folded === 'within' || !place.segments.some((segment) => segment.includes('['))) return folded;
  const exact = coveredBy(place, path, EXACT, take);
  return exact === 'no' ? folded : exact;
}
