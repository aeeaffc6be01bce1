import { basename, dirname, isAbsolute, join, resolve, sep } from 'node:path';
import type { PersistentFiles } from '../protocol/files.ts';
import { codeOf } from '../util/code-of.ts';

export type PathReader = Pick<PersistentFiles, 'realpath' | 'lstat'>;

export interface ResolvedPath {
  /** Absolute, as spelled, `.` and `..` taken out. */
  readonly spelled: string;
  /** Where the bytes would be; undefined when that cannot be told (a dangling link, a loop, no access). */
  readonly real: string | undefined;
}

/** Resolves paths once per call: symlinks of the deepest existing ancestor are followed (F89). */
export function createPathResolver(files: PathReader, cwd: string): (path: string) => Promise<ResolvedPath> {
  const known = new Map<string, Promise<ResolvedPath>>();
  return (path) => {
    let found = known.get(path);
    if (found === undefined) {
      found = resolvePath(files, cwd, path);
      known.set(path, found);
    }
    return found;
  };
}

/** Looks at the disk, for one call. */
export function lookFrom(files: PathReader, cwd: string) {
  return {
    resolve: createPathResolver(files, cwd),
    async isFolder(path: string): Promise<boolean> {
      return (await files.lstat(path).catch(() => undefined))?.kind === 'directory';
    },
  };
}

async function resolvePath(files: PathReader, cwd: string, path: string): Promise<ResolvedPath> {
  const spelled = resolve(cwd, path);
  if (path.includes('\0')) return { spelled, real: undefined };
  const real = (await climbsAlike(files, cwd, path)) ? await realPath(files, spelled) : undefined;
  return { spelled, real };
}

async function realPath(files: PathReader, path: string): Promise<string | undefined> {
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

/** `link/../x` is one place to the kernel and another on paper; a path for which the two differ has no answer. */
async function climbsAlike(files: PathReader, cwd: string, path: string): Promise<boolean> {
  const at = Math.max(path.lastIndexOf('/..'), path.lastIndexOf('\\..'));
  if (at < 0) return true;
  const climb = path.slice(0, at + 3);
  const onDisk = isAbsolute(climb) ? climb : `${cwd}${sep}${climb}`;
  try {
    return (await files.realpath(onDisk)) === (await files.realpath(resolve(cwd, climb)));
  } catch {
    return false;
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
