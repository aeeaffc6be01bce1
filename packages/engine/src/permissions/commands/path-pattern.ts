/** Paths of which only parts are known, held against the specifiers of path rules. */
import { join } from 'node:path';
import { parseTokens } from '@turnwright/base/search/name-pattern.ts';
import {
  ANY,
  ANYTHING,
  knownText,
  meet,
  type PatternPiece,
  sizeOf,
  type TextPattern,
} from '../../shell/reading/text-pattern.ts';
import type { Match } from '../rules/match.ts';
import { forbidsPath, type PathRuleContext, resolveRulePlaces } from '../rules/path-rule.ts';
import type { Pattern } from '../rules/read-pattern.ts';

/** Whether some path that the word may become is one that the rule speaks of. */
export async function mayMeetRule(
  specifier: string,
  place: TextPattern,
  context: PathRuleContext,
): Promise<boolean> {
  const rules = await resolveRulePlaces(specifier, context);
  if (rules === undefined) return true;
  const spellings = await spellingsOf(place, context);
  const { ignoreCase, steps } = context;
  for (const rule of rules) {
    const patterns = rulePatterns(rule, context);
    for (const spelling of spellings) {
      await steps.pause();
      if (patterns.some((each) => meet(spelling, each, { ignoreCase, count: steps.take }))) return true;
    }
  }
  return false;
}

/** Looks once in a decision at what rules are held against one by one. */
function oncePerDecision<K extends object, T>(look: (key: K, context: PathRuleContext) => T): typeof look {
  const known = new WeakMap<PathRuleContext['steps'], WeakMap<K, T>>();
  return (key, context) => {
    const own = known.get(context.steps) ?? new WeakMap<K, T>();
    known.set(context.steps, own);
    const found = own.get(key) ?? look(key, context);
    own.set(key, found);
    return found;
  };
}

/** What the rule says, as text: the thing itself, and what lies in it. */
const rulePatterns = oncePerDecision(({ root, segments }: Pattern): readonly TextPattern[] => {
  const base = root === '/' ? '' : root;
  const path: PatternPiece[] = [base, '/'];
  for (const [at, segment] of segments.entries()) {
    if (segment === '**') path.push({ gap: 'folders' });
    else path.push(...parseSegment(segment), ...(at === segments.length - 1 ? [] : ['/']));
  }
  if (segments.at(-1) === '**') return [[...path, ANY], path.slice(0, -2)];
  return [path, [...path, '/', ANY]];
});

/** `*`, `?` and classes in a rule stand for dots too. */
function parseSegment(segment: string): readonly PatternPiece[] {
  const pieces: PatternPiece[] = [];
  for (const token of parseTokens(segment)) {
    const last = pieces.at(-1);
    if (typeof token === 'string' || !('char' in token)) pieces.push({ gap: 'part' });
    else if (typeof last === 'string') pieces[pieces.length - 1] = last + token.char;
    else pieces.push(token.char);
  }
  return pieces;
}

/** The word as an absolute path, before and after the links of the part that is known. */
const spellingsOf = oncePerDecision(lookUpSpellings);

async function lookUpSpellings(
  place: TextPattern,
  context: PathRuleContext,
): Promise<readonly TextPattern[]> {
  context.steps.take(sizeOf(place));
  const path = withoutClimbs(place);
  const [start = '', ...others] = path;
  if (typeof start !== 'string' && 'oneOf' in start) {
    const each = start.oneOf.map((text) => lookUpSpellings([text, ...others], context));
    return (await Promise.all(each)).flat();
  }
  if (isOpen(start)) return [path];
  const [first, ...rest] = typeof start === 'string' ? [start, ...others] : ['', start, ...others];
  const slash = first.lastIndexOf('/');
  const { spelled, real, lost } = await context.resolve(slash < 0 ? '.' : first.slice(0, slash) || '/');
  if (lost === true) return [ANYTHING];
  const ending = first.slice(slash + 1);
  return [...new Set([spelled, real ?? spelled])].map(
    (folder): TextPattern => [`${folder === '/' ? '' : folder}/${ending}`, ...rest],
  );
}

/** Up to the last part that may lead upwards or says nothing, the path may be any. */
function withoutClimbs(place: TextPattern): TextPattern {
  const parts = splitAtSlashes(place);
  let last = -1;
  let open = false;
  for (const [at, part] of parts.entries()) {
    const text = knownText(part);
    if (
      text === undefined
        ? meet(part, ['..']) && !part.includes(ANY)
        : open && /^\.{0,2}$/.test(text) && at < parts.length - 1
    )
      last = at;
    open ||= text === undefined;
  }
  if (last < 0) return place;
  return [ANY, ...parts.slice(last + 1).flatMap((part): PatternPiece[] => ['/', ...part])];
}

/** Cut at the slashes that are known. */
function splitAtSlashes(place: TextPattern): readonly TextPattern[] {
  const parts: PatternPiece[][] = [[]];
  for (const piece of place) {
    if (typeof piece !== 'string') {
      parts.at(-1)?.push(piece);
      continue;
    }
    for (const [at, text] of piece.split('/').entries()) {
      if (at > 0) parts.push([]);
      parts.at(-1)?.push(text);
    }
  }
  return parts;
}

const isOpen = (piece: PatternPiece): boolean =>
  typeof piece !== 'string' && 'gap' in piece && (piece.gap === 'any' || piece.gap === 'folders');

/** More entries than these are not looked through. */
const MAX_ENTRIES = 5_000;

/**
 * The files that a pattern expands to; undefined if there are too many, or if it is not a pattern of names.
 */
export const onDisk = oncePerDecision(lookUpOnDisk);

async function lookUpOnDisk(
  place: TextPattern,
  context: PathRuleContext,
): Promise<readonly string[] | undefined> {
  const paths = await spellingsOf(place, context);
  const found = await Promise.all(paths.map((path) => (path.some(isOpen) ? [] : expanded(path, context))));
  return found.includes(undefined) ? undefined : found.flatMap((each) => each ?? []);
}

async function expanded(path: TextPattern, context: PathRuleContext): Promise<readonly string[] | undefined> {
  const [, ...parts] = splitAtSlashes(path);
  const { steps } = context;
  let looked = 0;
  let found = [''];
  for (const part of parts) {
    const text = knownText(part);
    const next: string[] = [];
    for (const folder of found) {
      await steps.pause();
      steps.take(2);
      if (text !== undefined) next.push(`${folder}/${text}`);
      else {
        const path = folder === '' ? '/' : folder;
        const names = (await context.resolve(path)).lost ? undefined : await context.entries(path);
        if (names === undefined) return undefined;
        looked += names.length;
        if (looked > MAX_ENTRIES) return undefined;
        for (const name of names) {
          await steps.pause();
          if (meet(part, [name], { count: steps.take })) next.push(`${folder}/${name}`);
        }
      }
    }
    found = next;
  }
  return found;
}

/**
 * Whether a file that the rule covers is below a folder: searched on disk, within a limit. With
 * `followsLinks` also in the targets of links there.
 */
export async function mayLieBelow(
  specifier: string,
  folder: string,
  context: PathRuleContext,
  { followsLinks }: { readonly followsLinks: boolean },
): Promise<Match> {
  const rules = await resolveRulePlaces(specifier, context);
  if (rules === undefined) return 'maybe';
  const below: TextPattern = [folder === '/' ? '' : folder, '/', ANY];
  const { ignoreCase, steps } = context;
  const isBelow = (each: TextPattern) => meet(below, each, { ignoreCase, count: steps.take });
  if (!followsLinks && !rules.some((rule) => rulePatterns(rule, context).some(isBelow))) return 'no';
  if (await forbidsPath(specifier, await context.resolve(folder), context)) return 'maybe';
  let looked = 0;
  const seen = new Set([folder]);
  for (const path of seen) {
    const names = await context.entries(path);
    if (names === undefined) return 'maybe';
    looked += names.length;
    if (looked > MAX_ENTRIES) return 'maybe';
    for (const name of names) {
      await steps.pause();
      const child = join(path, name);
      const resolved = await context.resolve(child);
      if (await forbidsPath(specifier, resolved, context)) return 'maybe';
      const { real, lost } = resolved;
      if (followsLinks && lost === true) return 'maybe';
      const next = followsLinks ? real : child;
      if (next !== undefined && (await context.isFolder(next))) seen.add(next);
    }
  }
  return 'no';
}
