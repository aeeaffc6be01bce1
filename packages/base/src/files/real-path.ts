/** Resolves paths, also of files that do not exist. */
import { dirname, join, relative } from 'node:path';
import type { PersistentFiles } from '../persistent-files.ts';
import { codeOf } from '../text/error-text.ts';

export type PathReader = Pick<PersistentFiles, 'realpath' | 'lstat'>;

/**
 * The resolved path; of a file that does not exist, its deepest existing folder is resolved (F89). Absolute.
 * undefined if it cannot be resolved (a dangling link, a loop, no access).
 */
export async function realPath(files: PathReader, path: string): Promise<string | undefined> {
  const looked = await resolved(files, path);
  if (looked !== 'absent') return looked;
  const above = dirname(path);
  if (above === path) return undefined;
  // What is not there has nothing below it: the last folder that is there is found by halves.
  const levels = [path, above];
  let absent = 0;
  let found = 1;
  let real = await resolved(files, above);
  if (real === 'absent') {
    for (let up = dirname(above); up !== levels.at(-1); up = dirname(up)) levels.push(up);
    absent = 1;
    found = levels.length - 1;
    real = await resolved(files, levels[found] as string);
    while (found - absent > 1 && real !== undefined) {
      const middle = (absent + found) >> 1;
      const look = await resolved(files, levels[middle] as string);
      if (look === 'absent') absent = middle;
      else {
        found = middle;
        real = look;
      }
    }
  }
  if (real === undefined || real === 'absent' || (await isLink(files, levels[absent] as string)))
    return undefined;
  return join(real, relative(levels[found] as string, path));
}

/** undefined: what is there cannot be resolved. */
async function resolved(files: PathReader, path: string): Promise<string | 'absent' | undefined> {
  try {
    return await files.realpath(path);
  } catch (error) {
    return isAbsent(error) ? 'absent' : undefined;
  }
}

async function isLink(files: PathReader, path: string): Promise<boolean> {
  try {
    return (await files.lstat(path))?.kind === 'symlink';
  } catch (error) {
    return !isAbsent(error);
  }
}

function isAbsent(error: unknown): boolean {
  const code = codeOf(error);
  return code === 'ENOENT' || code === 'ENOTDIR';
}

/** The path with its links resolved; the path as it is where they cannot be. */
export const resolveLinks = (files: Pick<PersistentFiles, 'realpath'>, path: string): Promise<string> =>
  files.realpath(path).catch(() => path);
