/**
 * Links of `/proc` resolve differently for each process: `realpath` returns the target for the calling one.
 */
import { dirname, isAbsolute } from 'node:path';
import type { FileStat, PersistentFiles } from '../persistent-files.ts';

type LinkReader = Pick<PersistentFiles, 'lstat'> & Partial<Pick<PersistentFiles, 'readLink'>>;

const OF_A_PROCESS =
  /\/proc\/(?:\d+|self|thread-self)\/(?:task\/\d+\/)?(?:cwd|root|exe|fd\/\d+|map_files\/[^/]+)$/;

/** Other names need not be held against the whole of a long path, but those in a folder of numbers. */
const MAY_END_ONE = /^(?:cwd|root|exe)$/;

/** Same limit as the kernel. */
const MAX_LINKS = 40;

/**
 * Whether a path passes such a link, itself or through another link: `here/src/a.ts` where `here` is a link
 * to `/proc/self/cwd`. Absolute; `..` unnormalised. true also for a link that cannot be read.
 */
export async function goesByProcess(path: string, files: LinkReader): Promise<boolean> {
  let folder = '/';
  // The next one last: to take it from the front would copy the others.
  const rest = splitNames(path);
  // Below what is not there nothing is: it need not be looked for.
  let isAbsent = false;
  let isNumbered = false;
  for (let links = 0; rest.length > 0; ) {
    const name = rest.pop() ?? '';
    const here = name === '..' ? dirname(folder) : `${folder === '/' ? '' : folder}/${name}`;
    if ((MAY_END_ONE.test(name) || isNumbered) && OF_A_PROCESS.test(here)) return true;
    isNumbered = name === 'fd' || name === 'map_files';
    if (name === '..') isAbsent = false;
    const found: FileStat | undefined =
      name === '..' || isAbsent ? undefined : await files.lstat(here).catch(() => undefined);
    isAbsent ||= name !== '..' && found === undefined;
    if (found?.kind !== 'symlink') {
      folder = here;
      continue;
    }
    const target = await files.readLink?.(here).catch(() => undefined);
    if (target === undefined || ++links > MAX_LINKS) return true;
    if (isAbsolute(target)) folder = '/';
    rest.push(...splitNames(target));
  }
  return false;
}

const splitNames = (path: string): string[] =>
  path
    .split('/')
    .filter((name) => name !== '' && name !== '.')
    .reverse();
