/** Resolves paths, also of files that do not exist. */
import { basename, dirname, join } from 'node:path';
import type { PersistentFiles } from '../../protocol/files.ts';
import { codeOf } from '../code-of.ts';

export type PathReader = Pick<PersistentFiles, 'realpath' | 'lstat'>;

/**
 * The resolved path; of a file that does not exist, its deepest existing folder is resolved (F89). Absolute.
 * undefined if it cannot be resolved (a dangling link, a loop, no access).
 */
export async function realPath(files: PathReader, path: string): Promise<string | undefined> {
  const missing: string[] = [];
  for (let current = path; ; current = dirname(current)) {
    try {
      return join(await files.realpath(current), ...missing);
    } catch (error) {
      if (!isAbsent(error) || dirname(current) === current) return undefined;
      if (await isLink(files, current)) return undefined;
      missing.unshift(basename(current));
    }
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
