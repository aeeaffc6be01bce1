import { join } from 'node:path';
import { madeInTarget, readCopying } from '../../shell/programs/copying.ts';
import { openTargets } from '../../shell/programs/touched-words.ts';
import { pathsRead } from '../../shell/reading/plain-reader.ts';
import { pathsCopied, pathsWritten } from '../../shell/reading/plain-writer.ts';
import {
  type CommandLine,
  everySegment,
  literalWords,
  type Segment,
  writtenWords,
} from '../../shell/reading/segment.ts';
import { ANY, meet, type TextPattern } from '../../shell/reading/text-pattern.ts';
import { toldWords } from '../../shell/reading/told-words.ts';
import type { ResolvedPath } from '../decide/resolved-path.ts';
import type { PathRuleContext } from '../rules/path-rule.ts';

interface CommandPaths {
  readonly paths: readonly ResolvedPath[];
  /** A path, or the folder it starts from, is known to the shell alone. */
  readonly unknown: boolean;
}

/** Devices that keep nothing and tell nothing. */
const NOWHERE: readonly string[] = ['/dev/null', '/dev/stdout', '/dev/stderr'];

type Resolve = PathRuleContext['resolve'];

export function redirectPaths(segment: Segment, direction: 'read' | 'write', resolve: Resolve) {
  const targets = segment.redirects.filter((redirect) => redirect.direction === direction);
  return resolveAll(
    segment,
    targets.map(({ path }) => path),
    resolve,
  );
}

/** What the segment writes: its redirects, and the files that programs known for writing are given. */
export async function writtenPaths(
  segment: Segment,
  { resolve, isFolder }: Pick<PathRuleContext, 'resolve' | 'isFolder'>,
): Promise<CommandPaths> {
  const known = segment.words.flatMap(({ value }) => value ?? []);
  const copying = readCopying(known);
  const folders = await resolveAll(segment, [copying?.target || undefined], resolve);
  const isEntered = (
    await Promise.all(folders.paths.map(({ real }) => real !== undefined && isFolder(real)))
  ).includes(true);
  const made = copying === undefined || !isEntered ? [] : madeInTarget(copying);
  return joined([
    await redirectPaths(segment, 'write', resolve),
    await resolveAll(segment, [...pathsWritten(known), ...made], resolve),
    { paths: [], unknown: openTargets(segment).some(mayBeHidden) },
  ]);
}

/** What decides over what runs later lies in files or folders whose names begin with a dot. */
function mayBeHidden(path: TextPattern): boolean {
  return meet(path, ['.', ANY]) || meet(path, [ANY, '/.', ANY]);
}

/** What a plainly read-only segment reads; undefined when it is not one. */
export async function readPaths(segment: Segment, resolve: Resolve): Promise<CommandPaths | undefined> {
  const words = literalWords(segment) ?? toldWords(segment);
  if (words === undefined) return undefined;
  const paths = pathsRead(words);
  // The working directory is included: without arguments most programs read it.
  return paths === undefined ? undefined : resolveAll(segment, ['.', ...paths], resolve);
}

/** The files that are read to be written elsewhere, or moved there. */
export function copiedPaths(segment: Segment, resolve: Resolve): Promise<CommandPaths> {
  const known = segment.words.flatMap(({ value }) => value ?? []);
  return resolveAll(segment, pathsCopied(known), resolve);
}

async function resolveAll(
  { folders }: Segment,
  paths: readonly (string | undefined)[],
  resolve: Resolve,
): Promise<CommandPaths> {
  const places: string[] = [];
  let unknown = false;
  for (const path of paths) {
    if (path === undefined || (folders === undefined && !path.startsWith('/'))) unknown = true;
    else if (path.startsWith('/')) places.push(path);
    else places.push(...(folders ?? []).map((from) => (from === '' ? path : `${from}/${path}`)));
  }
  const kept = [...new Set(places)].filter((place) => !NOWHERE.includes(place));
  return { paths: await Promise.all(kept.map(resolve)), unknown };
}

function joined(parts: readonly (CommandPaths | undefined)[]): CommandPaths {
  return {
    paths: parts.flatMap((part) => part?.paths ?? []),
    unknown: parts.some((part) => part?.unknown === true),
  };
}

/** The files that a line says it reads or writes, as far as that is known. */
export async function touchedPaths(
  direction: 'read' | 'write',
  line: Pick<CommandLine, 'segments'>,
  context: PathRuleContext,
): Promise<readonly ResolvedPath[]> {
  const segments = everySegment(line.segments);
  const touched = await Promise.all(segments.map((segment) => touchedBy(segment, direction, context)));
  return touched.flatMap(({ paths }) => paths);
}

async function touchedBy(
  segment: Segment,
  direction: 'read' | 'write',
  context: PathRuleContext,
): Promise<CommandPaths> {
  const { resolve } = context;
  return direction === 'read'
    ? joined([
        await redirectPaths(segment, 'read', resolve),
        await readPaths(segment, resolve),
        await copiedPaths(segment, resolve),
      ])
    : writtenPaths(segment, context);
}

/** Whether a folder that it names holds a link, or may: one with very many entries is not looked through. */
export async function namesLinks(segment: Segment, context: PathRuleContext): Promise<boolean> {
  const named = pathsRead(writtenWords(segment) ?? []) ?? [];
  for (const from of segment.folders ?? [])
    for (const path of named) {
      const { real } = await context.resolve(path.startsWith('/') || from === '' ? path : `${from}/${path}`);
      if (real === undefined || (await holdsLink(real, context))) return true;
    }
  return false;
}

const MOST_ENTRIES = 5_000;

export async function holdsLink(folder: string, { entries, stat }: PathRuleContext): Promise<boolean> {
  let looked = 0;
  const open = (await stat(folder))?.kind === 'directory' ? [folder] : [];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    const names = await entries(path);
    if (names === undefined) return true;
    looked += names.length;
    if (looked > MOST_ENTRIES) return true;
    for (const name of names) {
      const kind = (await stat(join(path, name)))?.kind;
      if (kind === 'symlink') return true;
      if (kind === 'directory') open.push(join(path, name));
    }
  }
  return false;
}
