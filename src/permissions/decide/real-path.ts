import { isAbsolute, resolve, sep } from 'node:path';
import type { PersistentFiles } from '../../protocol/files.ts';
import { codeOf } from '../../util/code-of.ts';
import { type PathReader, realPath } from '../../util/files/real-path.ts';
import { type LinkedFiles, linkedFiles } from '../rules/other-names.ts';

export type { PathReader };

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

/** Where there is no `readDir`, what lies in a folder cannot be told. */
export type DiskReader = PathReader & Partial<Pick<PersistentFiles, 'readDir' | 'readRange'>>;

/** Looks at the disk, for one call. */
export function lookFrom(files: DiskReader, cwd: string) {
  const stat = (path: string) => files.lstat(path).catch(() => undefined);
  let linked: Map<string, Promise<LinkedFiles>> | undefined;
  return {
    async entries(path: string): Promise<readonly string[] | undefined> {
      try {
        return await files.readDir?.(path);
      } catch (error) {
        const code = codeOf(error);
        return code === 'ENOENT' || code === 'ENOTDIR' ? [] : undefined;
      }
    },
    resolve: createPathResolver(files, cwd),
    async isFolder(path: string): Promise<boolean> {
      return (await stat(path))?.kind === 'directory';
    },
    stat,
    linked(key: string, base: string, covers: (path: string) => boolean): Promise<LinkedFiles> {
      linked ??= new Map();
      const known = linked.get(key) ?? linkedFiles(base, covers, files);
      linked.set(key, known);
      return known;
    },
  };
}

async function resolvePath(files: PathReader, cwd: string, path: string): Promise<ResolvedPath> {
  const spelled = resolve(cwd, path);
  if (path.includes('\0')) return { spelled, real: undefined };
  const real = (await climbsAlike(files, cwd, path)) ? await realPath(files, spelled) : undefined;
  return { spelled, real };
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
