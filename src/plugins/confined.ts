/** A plugin's files for rooms that know nothing of plugins: what lies outside of its folder is not there. */
import type { PersistentFiles } from '../protocol/files.ts';
import { isReallyInside } from '../util/inside.ts';

type Reading = Pick<PersistentFiles, 'stat' | 'lstat' | 'readFile' | 'readRange' | 'readDir' | 'realpath'>;

/** Links are followed before a path is judged. */
export function confined(files: Reading, root: string): Reading {
  const check = async (path: string): Promise<void> => {
    if (await isReallyInside(path, root, files)) return;
    throw Object.assign(new Error(`${path} is not in ${root}`), { code: 'ENOENT' });
  };
  return {
    stat: async (path) => ((await isReallyInside(path, root, files)) ? files.stat(path) : undefined),
    lstat: async (path) => ((await isReallyInside(path, root, files)) ? files.lstat(path) : undefined),
    readFile: (path) => check(path).then(() => files.readFile(path)),
    readRange: (path, offset, length) => check(path).then(() => files.readRange(path, offset, length)),
    readDir: (path) => check(path).then(() => files.readDir(path)),
    realpath: (path) => check(path).then(() => files.realpath(path)),
  };
}
