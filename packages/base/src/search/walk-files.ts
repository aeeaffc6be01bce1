/** The files below a folder, without those that ignore files leave out. Links are not followed. */

import { access, readdir, readFile, realpath } from 'node:fs/promises';
import { join, relative, sep } from 'node:path';
import { findRepository } from '../files/folders.ts';
import { findVerdict, ignoreRules, isNamed, type Rules } from './ignore-rules.ts';

/** The rules of one folder. */
interface Level {
  readonly rules: Rules;
  /** Number of leading names of a path that the rules do not look at. */
  readonly depth: number;
  /** The names from the folder of the rules down to where the walk starts, if it is above that. */
  readonly above: readonly string[];
}

interface WalkOptions {
  /** Globs, relative to `cwd`. */
  readonly globs: Rules;
  /** What the names of files must match, if there are any. */
  readonly names: Rules;
  readonly signal: AbortSignal;
}

/** Git's are read only in a repository; the last one is the strongest. */
const IGNORE_FILES = ['.gitignore', '.ignore', '.rgignore'];

/** Paths relative to `cwd`, in the order of their names. `start`: relative to `cwd`, `.` for all of it. */
export async function* walkFiles(
  cwd: string,
  start: string,
  { globs, names: types, signal }: WalkOptions,
): AsyncGenerator<string, void, void> {
  const first = namesIn(start);
  const folder = await realpath(join(cwd, ...first));
  const repository = await findRepository(folder, { exists });
  const onlyKept = globs.some(({ keeps }) => keeps);

  async function* below(
    names: readonly string[],
    depth: number,
    above: readonly Level[],
  ): AsyncGenerator<string> {
    signal.throwIfAborted();
    const path = join(cwd, ...names);
    const entries = await readdir(path, { withFileTypes: true }).catch(() => []);
    entries.sort((a, b) => (a.name < b.name ? -1 : 1));
    const own = await rulesIn(path, repository !== undefined);
    const levels = own.length === 0 ? above : [...above, { rules: own, above: [], depth }];
    for (const entry of entries) {
      const isFolder = entry.isDirectory();
      if (!isFolder && !entry.isFile()) continue;
      const within = [...names, entry.name];
      const asked = findVerdict(globs, within, isFolder);
      if (asked === 'leave out' || (asked === undefined && onlyKept && !isFolder)) continue;
      if (isIgnored(levels, within, isFolder) && !isNamed(globs, within, isFolder)) continue;
      if (isFolder) yield* below(within, depth + 1, levels);
      else if (types.length === 0 || findVerdict(types, within, false) === 'keep') yield within.join('/');
    }
  }

  const levels = repository === undefined ? [] : await levelsAbove(repository, folder, first.length);
  yield* below(first, first.length, levels);
}

const namesIn = (path: string) => path.split(/[\\/]/).filter((name) => name !== '' && name !== '.');

/**
 * Tells of each file below `start` whether ignore files leave it out and no glob names it. Paths are relative
 * to `cwd`, as those of `walkFiles`.
 */
export async function leavesOut(
  cwd: string,
  start: string,
  globs: Rules,
): Promise<(file: string) => Promise<boolean>> {
  const first = namesIn(start);
  const folder = await realpath(join(cwd, ...first));
  const repository = await findRepository(folder, { exists });
  const above = repository === undefined ? [] : await levelsAbove(repository, folder, first.length);
  const isOut = (levels: readonly Level[], names: readonly string[], isFolder: boolean) =>
    isIgnored(levels, names, isFolder) && !isNamed(globs, names, isFolder);

  /** By folder; undefined: all of it is left out. */
  const known = new Map<string, Promise<readonly Level[] | undefined>>();
  const within = async (names: readonly string[]): Promise<readonly Level[] | undefined> => {
    const outer = names.length <= first.length ? above : await levelsIn(names.slice(0, -1));
    if (outer === undefined || (names.length > first.length && isOut(outer, names, true))) return undefined;
    const own = await rulesIn(join(cwd, ...names), repository !== undefined);
    return own.length === 0 ? outer : [...outer, { rules: own, above: [], depth: names.length }];
  };
  const levelsIn = (names: readonly string[]) => {
    const key = names.join('/');
    const levels = known.get(key) ?? within(names);
    known.set(key, levels);
    return levels;
  };
  return async (file) => {
    const names = namesIn(file);
    const levels = await levelsIn(names.slice(0, -1));
    return levels === undefined || isOut(levels, names, false);
  };
}

function isIgnored(levels: readonly Level[], path: readonly string[], isFolder: boolean): boolean {
  for (let at = levels.length - 1; at >= 0; at -= 1) {
    const { rules, above, depth } = levels[at] as Level;
    const verdict = findVerdict(rules, [...above, ...path.slice(depth)], isFolder);
    if (verdict !== undefined) return verdict === 'leave out';
  }
  return false;
}

/** Whether there is something at a path; asked without holding the thread up, as a walk asks often. */
const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );

/** The rules of the folders from the repository's root down to the one above `folder`. */
async function levelsAbove(root: string, folder: string, depth: number): Promise<readonly Level[]> {
  const down = relative(root, folder).split(sep).filter(Boolean);
  const levels: Level[] = [];
  const exclude = await readRules(join(root, '.git', 'info', 'exclude'));
  if (exclude.length > 0) levels.push({ rules: exclude, above: down, depth });
  for (const at of down.keys()) {
    const rules = await rulesIn(join(root, ...down.slice(0, at)), true);
    if (rules.length > 0) levels.push({ rules, above: down.slice(at), depth });
  }
  return levels;
}

async function rulesIn(folder: string, inRepository: boolean): Promise<Rules> {
  const files = inRepository ? IGNORE_FILES : IGNORE_FILES.slice(1);
  return (await Promise.all(files.map((name) => readRules(join(folder, name))))).flat();
}

async function readRules(file: string): Promise<Rules> {
  try {
    return ignoreRules(await readFile(file, 'utf8'));
  } catch {
    return [];
  }
}
