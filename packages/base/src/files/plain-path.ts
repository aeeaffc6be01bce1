/**
 * Opens the file at a resolved path, and nothing else: a link that replaced the file or one of its folders
 * after the path was resolved is not followed. Where the system can return the path of a descriptor (Linux),
 * or refuse every link of a path (macOS), this is free of races; elsewhere the path is resolved again after
 * opening.
 */
import { constants, type Stats } from 'node:fs';
import * as fs from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { codeOf } from '../text/error-text.ts';

const { O_RDONLY, O_NOFOLLOW = 0, O_NONBLOCK = 0, O_DIRECTORY = 0, O_NOCTTY = 0 } = constants;
/** macOS: a link anywhere in the path is refused. */
const O_NOFOLLOW_ANY = process.platform === 'darwin' ? 0x2000_0000 : 0;
/** Linux: holds a folder that may be entered but not listed. */
const O_PATH = process.platform === 'linux' ? 0o1000_0000 : 0;

const TO_READ = O_RDONLY | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW | O_NOFOLLOW_ANY;
const TO_HOLD = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_NOFOLLOW_ANY | O_PATH;
/** Attempts for a file that another writer keeps replacing. */
const MAX_TRIES = 5;

/** The path leads elsewhere than when it was resolved. */
export class PathMovedError extends Error {
  readonly code = 'EMOVED';
  constructor(path: string) {
    super(
      `${path} leads elsewhere than when the call was judged: a link, or another folder, took the place of a part of it. Nothing was done.`,
    );
  }
}

/**
 * Opens a regular file for reading; undefined if it does not exist, or is not a regular file. The caller
 * closes it.
 */
export async function openPlain(
  path: string,
): Promise<{ readonly file: fs.FileHandle; readonly stat: Stats } | undefined> {
  for (let tries = 1; ; tries++) {
    const file = await openedAs(path, TO_READ);
    try {
      const stat = await file.stat();
      if (!stat.isFile()) break;
      if (await liesAt(file, stat, path)) return { file, stat };
      if (tries === MAX_TRIES) throw new PathMovedError(path);
    } catch (error) {
      await file.close();
      throw error;
    }
    await file.close();
  }
  return undefined;
}

/** A folder that is held open: operations happen in this folder, even if its path is replaced. */
export interface HeldFolder {
  /** A path to this name in the folder. */
  at(name: string): string;
  /**
   * Throws `PathMovedError` where `at` cannot hold the folder by itself and its path leads to another one
   * now.
   */
  check(): Promise<void>;
  close(): Promise<void>;
}

/** Holds the folder at a resolved path. With `make`, missing folders are created. */
export async function holdFolder(path: string, make = false): Promise<HeldFolder> {
  try {
    return await held(path, path);
  } catch (error) {
    const parent = dirname(path);
    if (!make || codeOf(error) !== 'ENOENT' || parent === path) throw error;
    const above = await holdFolder(parent, true);
    try {
      const name = above.at(basename(path));
      await above.check();
      await fs.mkdir(name).catch((made: unknown) => {
        if (codeOf(made) !== 'EEXIST') throw made;
      });
      return await held(name, path);
    } finally {
      await above.close();
    }
  }
}

async function held(name: string, path: string): Promise<HeldFolder> {
  if (process.platform === 'win32') return checkedFolder(path, await fs.lstat(path));
  const folder = await openedAs(name, TO_HOLD, path);
  try {
    const stat = await folder.stat();
    if (!stat.isDirectory() || !(await liesAt(folder, stat, path))) throw new PathMovedError(path);
    if ((await readPath(folder)) !== undefined)
      return {
        at: (entry) => join(descriptor(folder), entry),
        check: async () => {},
        close: () => folder.close(),
      };
    const checked = checkedFolder(path, stat);
    return { ...checked, close: () => folder.close() };
  } catch (error) {
    await folder.close();
    throw error;
  }
}

/** Where a descriptor is not a path: by name, checked before and after. */
function checkedFolder(path: string, stat: Stats): HeldFolder {
  return {
    at: (entry) => join(path, entry),
    async check() {
      if (!(await isStill(path, stat))) throw new PathMovedError(path);
    },
    async close() {},
  };
}

async function openedAs(name: string, flags: number, path = name): Promise<fs.FileHandle> {
  try {
    return await fs.open(name, flags);
  } catch (error) {
    // A link, or a file instead of a folder.
    const code = codeOf(error);
    if (code === 'ELOOP' || (code === 'ENOTDIR' && flags === TO_HOLD)) throw new PathMovedError(path);
    throw error;
  }
}

const descriptor = (file: fs.FileHandle) => `/proc/self/fd/${file.fd}`;

/** Whether the opened file is the one at the path, without links. */
async function liesAt(file: fs.FileHandle, stat: Stats, path: string): Promise<boolean> {
  if (O_NOFOLLOW_ANY !== 0) return true;
  const opened = await readPath(file);
  if (opened === path) return true;
  // A case-insensitive file system may spell it differently.
  if (opened !== undefined && folded(opened) !== folded(path)) return false;
  return isStill(path, stat);
}

/** undefined: the system does not provide it. */
async function readPath(file: fs.FileHandle): Promise<string | undefined> {
  if (process.platform !== 'linux') return undefined;
  const path = await fs.readlink(descriptor(file)).catch(() => undefined);
  return path?.startsWith('/') === true ? path : undefined;
}

const folded = (path: string) => path.normalize('NFC').toLowerCase();

async function isStill(path: string, { dev, ino }: Stats): Promise<boolean> {
  try {
    const now = await fs.lstat(path);
    return now.dev === dev && now.ino === ino && folded(await fs.realpath(path)) === folded(path);
  } catch {
    return false;
  }
}
