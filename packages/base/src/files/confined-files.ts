import type { PersistentFiles } from '../persistent-files.ts';
import { isInside } from './inside.ts';

/** File operations of rooms that read files of a project. */
export type LookedAtFiles = Pick<
  PersistentFiles,
  'exists' | 'lstat' | 'readDir' | 'readFile' | 'readRange' | 'realpath' | 'stat'
>;

interface Confinement {
  /** Absolute: a repository's root. Paths outside of it are not restricted. */
  readonly root: string;
  /** Whether a file must not be read, resolved; default none. */
  isDenied?(path: string): Promise<boolean>;
  /** Called once per path; `why` completes "… was passed over: ". */
  refused?(path: string, why: string): void;
}

/**
 * Restricts files of a repository: in `root`, what leads out of it, or must not be read, does not exist. A
 * repository may contain links to files of the user. Files are read under the resolved path that was checked.
 */
export function confinedFiles(files: LookedAtFiles, { root, isDenied, refused }: Confinement): LookedAtFiles {
  const told = new Set<string>();
  let realRoot: Promise<string> | undefined;
  /** The path to open. Rejects with ENOENT. */
  const judged = async (path: string, tell = true): Promise<string> => {
    const refuse = (why: string) => {
      if (tell && !told.has(path)) refused?.(path, why);
      if (tell) told.add(path);
      throw absent(path);
    };
    if (!isInside(path, root)) return path;
    realRoot ??= files.realpath(root);
    const real = await files.realpath(path);
    if (!isInside(real, await realRoot)) return refuse('it leads out of the repository');
    if ((await isDenied?.(path)) === true || (await isDenied?.(real)) === true)
      return refuse('a rule denies reading it');
    return real;
  };
  const unlessAbsent = <T>(look: Promise<T>): Promise<T | undefined> =>
    look.catch((error: unknown) => {
      if (isAbsent(error)) return undefined;
      throw error;
    });
  return {
    stat: (path) => unlessAbsent(judged(path).then((real) => files.stat(real))),
    exists: (path) =>
      judged(path).then(
        (real) => files.exists(real),
        () => false,
      ),
    lstat: (path) => unlessAbsent(judged(path).then(() => files.lstat(path))),
    // The caller judges by the result, and reports it.
    realpath: (path) => (isInside(path, root) ? judged(path, false) : files.realpath(path)),
    readDir: async (path) => files.readDir(await judged(path)),
    readFile: async (path) => files.readFile(await judged(path)),
    readRange: async (path, ...range) => files.readRange(await judged(path), ...range),
  };
}

function absent(path: string): Error {
  return Object.assign(new Error(`ENOENT: no such file or directory, open '${path}'`), { code: 'ENOENT' });
}

function isAbsent(error: unknown): boolean {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  return code === 'ENOENT' || code === 'ENOTDIR';
}
