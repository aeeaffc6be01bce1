import { join, sep } from 'node:path';
import { isInside } from '../util/inside.ts';
import { matchesSegments } from '../util/wildcards.ts';
import type { ResolvedPath } from './real-path.ts';

/**
 * Path specifiers, read like lines of a .gitignore: `//abs/**` from the root of the file system, `~/x` from home,
 * `/x` and `a/b` from the session's folder, a bare name at any depth beneath it. What matches a folder covers what
 * is in it.
 */
export interface PathRuleContext {
  /** Where the call's relative paths count from. */
  readonly cwd: string;
  /** Where relative patterns count from: the session's own folder. */
  readonly root: string;
  readonly home: string | undefined;
  /** Compare without regard to case (macOS, Windows). */
  readonly ignoreCase: boolean;
  readonly resolve: (path: string) => Promise<ResolvedPath>;
  /** Whether a folder is there. */
  readonly isFolder: (path: string) => Promise<boolean>;
}

/** Allows: the real path must match, seen from the real root of the pattern. */
export async function allowsPath(
  specifier: string,
  path: ResolvedPath,
  context: PathRuleContext,
): Promise<boolean> {
  const pattern = readPattern(specifier, context);
  if (pattern === undefined || path.real === undefined) return false;
  const root = (await context.resolve(pattern.root)).real;
  return root !== undefined && matches(pattern.segments, path.real, root, context.ignoreCase);
}

/** Forbids: any spelling of the path, seen from any spelling of the pattern's root. */
export async function forbidsPath(
  specifier: string,
  path: ResolvedPath,
  context: PathRuleContext,
): Promise<boolean> {
  const pattern = readPattern(specifier, context);
  if (pattern === undefined) return true;
  const literal = pattern.segments.findIndex((segment) => segment.includes('*') || segment.includes('?'));
  const head = pattern.segments.slice(0, literal < 0 ? pattern.segments.length : literal);
  const tail = pattern.segments.slice(head.length);
  const places: [readonly string[], string][] = [[pattern.segments, pattern.root]];
  const root = (await context.resolve(pattern.root)).real;
  if (root !== undefined) places.push([pattern.segments, root]);
  const folder = head.length === 0 ? undefined : (await context.resolve(join(pattern.root, ...head))).real;
  if (folder !== undefined) places.push([tail, folder]);
  const spellings = path.real === undefined ? [path.spelled] : [path.spelled, path.real];
  return places.some(([segments, base]) =>
    spellings.some((spelling) => matches(segments, spelling, base, context.ignoreCase)),
  );
}

interface Pattern {
  readonly root: string;
  readonly segments: readonly string[];
}

function readPattern(specifier: string, context: PathRuleContext): Pattern | undefined {
  const text = specifier
    .replaceAll('\\', '/')
    .replace(/\/+$/, (end) => (end.length === specifier.length ? end : ''));
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

function matches(segments: readonly string[], path: string, root: string, ignoreCase: boolean): boolean {
  const fold = (text: string) => (ignoreCase ? text.normalize('NFC').toLowerCase() : text.normalize('NFC'));
  const [foldedPath, foldedRoot] = [fold(path), fold(root)];
  if (!isInside(foldedPath, foldedRoot)) return false;
  const relative = foldedPath
    .slice(foldedRoot.length)
    .split(sep)
    .filter((segment) => segment !== '');
  // What lies in a folder that matches is matched with it.
  return matchesSegments([...segments.map(fold), '**'], relative);
}
