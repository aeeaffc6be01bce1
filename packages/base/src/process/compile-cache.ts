/**
 * The command line's compiled code, kept by Node from one process to the next (Node 22.1 and newer). It lives
 * in the user's cache folder, never in the package, and only where no other user can write: V8 runs
 * what it finds there.
 */
import { lstatSync, mkdirSync, type Stats, statSync } from 'node:fs';
import { posix, win32 } from 'node:path';

type Env = Readonly<Record<string, string | undefined>>;

/** What is needed of the process. */
export interface CompileCacheHost {
  readonly env: Env;
  readonly platform: NodeJS.Platform;
  /** Undefined on Windows, where the user's folders are protected by their access lists. */
  readonly uid: number | undefined;
  /** `module.enableCompileCache`; undefined in versions of Node without it. */
  readonly enable: ((folder: string) => unknown) | undefined;
}

/**
 * Must be called before the code is imported. Does nothing when the cache is switched off or there is no safe
 * folder.
 */
export function enableCompileCache({ env, platform, uid, enable }: CompileCacheHost): void {
  if (enable === undefined || env['TURNWRIGHT_COMPILE_CACHE'] === '0') return;
  // Node itself does nothing then, but the folder would be created.
  if (env['NODE_DISABLE_COMPILE_CACHE'] === '1') return;
  const parent = cacheHome(env, platform);
  if (parent === undefined) return;
  const folder = inside(parent);
  try {
    for (const each of [parent, folder]) makeFolder(each);
    // The parent may be a link to another disk.
    if (isOurs(statSync(parent), uid) && isOurs(lstatSync(folder), uid)) enable(folder);
  } catch {
    // Without a cache the code is compiled again.
  }
}

/** Not with `recursive`: where nothing can be made, as behind a dangling link, Node tries that for ever. */
function makeFolder(path: string): void {
  try {
    mkdirSync(path, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
}

/** The folder for caches of this user's programs; undefined: nothing says where that is. */
export function cacheHome(env: Env, platform: NodeJS.Platform): string | undefined {
  if (platform === 'win32') return absolute(env['LOCALAPPDATA'], win32);
  const home = absolute(env['HOME'], posix);
  if (platform === 'darwin') return home && `${home}/Library/Caches`;
  return absolute(env['XDG_CACHE_HOME'], posix) ?? (home && `${home}/.cache`);
}

const inside = (caches: string): string => `${caches}/turnwright`;

/**
 * Folders whose code runs in the next process: the command line's, and one that Node is configured to use.
 */
export function compiledCode(env: Env, platform: NodeJS.Platform): readonly string[] {
  const caches = cacheHome(env, platform);
  const told = absolute(env['NODE_COMPILE_CACHE'], platform === 'win32' ? win32 : posix);
  return [...(caches === undefined ? [] : [inside(caches)]), ...(told === undefined ? [] : [told])];
}

function absolute(path: string | undefined, { isAbsolute }: Pick<typeof posix, 'isAbsolute'>) {
  return path !== undefined && isAbsolute(path) ? path : undefined;
}

/** A folder of this user's that no other user can write. */
function isOurs(stats: Stats, uid: number | undefined): boolean {
  if (!stats.isDirectory()) return false;
  return uid === undefined || (stats.uid === uid && (stats.mode & 0o022) === 0);
}
