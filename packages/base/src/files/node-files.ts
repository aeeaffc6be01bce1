/**
 * Files on `node:fs`: the production implementation of the `PersistentFiles` port. What opens and writes a
 * session, and what looks at names, is synchronous: a 1 KB `writeSync` into the page cache costs about 2 µs
 * of CPU, the same write through the thread pool about 40 µs, and so does a look at a name.
 */
import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  fdatasync as fdatasyncCallback,
  fstatSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  realpathSync,
  renameSync,
  type Stats,
  statSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import * as fs from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { turnToLook } from '../async/event-loop-turns.ts';
import type { AppendHandle, FileStat, PersistentFiles, PlainFile } from '../persistent-files.ts';
import { codeOf } from '../text/error-text.ts';
import { openPlain } from './plain-path.ts';
import { refuseSecret } from './secret-files.ts';
import {
  refuseOthers,
  remove,
  syncDirectory,
  temporaryName,
  unlessMissing,
  unlessPermitted,
  writeAtomic,
} from './write-atomic.ts';

const fdatasync = promisify(fdatasyncCallback);
const PERMISSIONS = 0o7777;
const FIRST_BYTES = 64 * 1024;
/** A pipe instead of a file reads as empty, without waiting. */
const READ_AT_ONCE = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

export const nodeFiles: PersistentFiles = {
  readFile: (path) => fs.readFile(path, { flag: READ_AT_ONCE }),
  readSmall,
  readRange,
  readPlain,
  stat: (path) => lookAt(path, statSync),
  exists: async (path) => existsSync(path),
  lstat: (path) => lookAt(path, lstatSync),
  async realpath(path) {
    await turnToLook();
    return realpathSync.native(path);
  },
  readLink: (path) => fs.readlink(path),
  readDir: (path) => fs.readdir(path),
  readKinds: async (path) =>
    new Map((await fs.readdir(path, { withFileTypes: true })).map((entry) => [entry.name, kindOf(entry)])),
  makeDir,
  writeAtomic,
  createExclusive,
  link: async (file, name) => linkSync(file, name),
  openAppend,
  truncate: (path, length) => fs.truncate(path, length),
  remove,
  removeSmall,
  removeTree: (path) => fs.rm(path, { force: true, recursive: true }),
  rename: async (from, to) => renameSync(from, to),
};

/** Most of what is looked for is not there: an error for it would cost more than the look. */
async function lookAt(path: string, look: typeof statSync | typeof lstatSync): Promise<FileStat | undefined> {
  await turnToLook();
  try {
    const found = look(path, { throwIfNoEntry: false });
    return found && toFileStat(found);
  } catch (error) {
    return refuseOthers(error);
  }
}

async function readSmall(path: string): Promise<Uint8Array | undefined> {
  try {
    return opened(path, (fd) => readFileSync(fd));
  } catch (error) {
    return refuseOthers(error);
  }
}

async function removeSmall(path: string): Promise<void> {
  try {
    unlinkSync(path);
  } catch (error) {
    refuseOthers(error);
  }
}

function opened<T>(path: string, read: (fd: number) => T): T {
  const fd = openSync(path, READ_AT_ONCE);
  try {
    return read(fd);
  } finally {
    closeSync(fd);
  }
}

async function readRange(
  path: string,
  offset: number,
  length: number,
  into: Uint8Array = Buffer.allocUnsafe(length),
): Promise<Uint8Array> {
  return opened(path, (fd) => {
    let filled = 0;
    while (filled < length) {
      const bytesRead = readSync(fd, into, filled, length - filled, offset + filled);
      if (bytesRead === 0) break;
      filled += bytesRead;
    }
    return into.subarray(0, filled);
  });
}

async function readPlain(
  path: string,
  maxBytes: number,
  { cut = false }: { readonly cut?: boolean } = {},
): Promise<PlainFile | undefined> {
  refuseSecret(path);
  // By type first: opening a pipe or a device may have an effect.
  const before = await unlessMissing(fs.lstat(path));
  if (before === undefined) return undefined;
  const opened = before.isFile() ? await unlessMissing(openPlain(path)) : undefined;
  if (opened === undefined) return { stat: toFileStat(before) };
  const { file, stat } = opened;
  try {
    const bytes = stat.size > maxBytes && !cut ? undefined : await readUpTo(file, stat.size, maxBytes, cut);
    return { stat: toFileStat(stat), ...(bytes !== undefined && { bytes }) };
  } finally {
    await file.close();
  }
}

/** undefined: there is more. Files of procfs have no size and may be endless. */
async function readUpTo(
  file: fs.FileHandle,
  size: number,
  maxBytes: number,
  cut: boolean,
): Promise<Buffer | undefined> {
  let bytes = Buffer.allocUnsafe(Math.min(size > 0 ? size + 1 : FIRST_BYTES, maxBytes + 1));
  let filled = 0;
  while (true) {
    const { bytesRead } = await file.read(bytes, filled, bytes.length - filled, null);
    filled += bytesRead;
    if (filled > maxBytes) return cut ? bytes.subarray(0, maxBytes) : undefined;
    if (bytesRead === 0 || (filled === size && filled < bytes.length)) return bytes.subarray(0, filled);
    if (filled === bytes.length) {
      const more = Buffer.allocUnsafe(Math.min(filled * 2, maxBytes + 1));
      bytes.copy(more, 0, 0, filled);
      bytes = more;
    }
  }
}

async function makeDir(path: string, mode?: number): Promise<void> {
  const before = statSync(path, { throwIfNoEntry: false });
  if (before?.isDirectory() !== true) makeFolders(path, mode);
  if (mode === undefined) return;
  const { mode: actual } = before ?? statSync(path);
  const wanted = (actual & mode) | (mode & 0o700);
  // The mode of a folder of another owner cannot be changed; files in it still have their own mode.
  if (wanted !== (actual & PERMISSIONS)) await fs.chmod(path, wanted).catch(unlessPermitted);
}

/**
 * Not with `recursive`: where nothing can be created, as in /proc or behind a dangling link, Node retries
 * endlessly.
 */
function makeFolders(path: string, mode: number | undefined): void {
  try {
    makeFolder(path, mode);
  } catch (error) {
    if (codeOf(error) !== 'ENOENT' || dirname(path) === path) throw error;
    makeFolders(dirname(path), mode);
    makeFolder(path, mode);
  }
}

function makeFolder(path: string, mode: number | undefined): void {
  try {
    mkdirSync(path, mode);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST' || !statSync(path).isDirectory()) throw error;
  }
}

async function createExclusive(path: string, data: Uint8Array | string, mode: number): Promise<void> {
  const temp = temporaryName(path);
  try {
    writeFileSync(temp, data, { flag: 'wx', mode });
    chmodSync(temp, mode);
    try {
      linkSync(temp, path);
    } catch (error) {
      // A file system without hard links: exclusive, but not atomic.
      if (codeOf(error) !== 'EPERM' && codeOf(error) !== 'ENOTSUP' && codeOf(error) !== 'ENOSYS') throw error;
      writeFileSync(path, data, { flag: 'wx', mode });
    }
  } finally {
    unlinkIfThere(temp);
  }
}

function unlinkIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // It was never created, or is removed already.
  }
}

async function openAppend(path: string, mode: number): Promise<AppendHandle> {
  const fd = openSync(path, constants.O_APPEND | constants.O_CREAT | constants.O_RDWR, mode);
  let directorySynced: boolean;
  try {
    const stat = fstatSync(fd);
    if ((stat.mode & PERMISSIONS & ~mode) !== 0) fchmodSync(fd, stat.mode & mode);
    directorySynced = stat.size > 0;
  } catch (error) {
    closeSync(fd);
    throw error;
  }
  let open = true;
  return {
    append(data) {
      // It accepts both; its types have one overload for each.
      let written = writeSync(fd, data as string);
      const length = Buffer.byteLength(data);
      if (written === length) return undefined;
      const bytes = Buffer.from(data);
      while (written < length) written += writeSync(fd, bytes, written);
      return undefined;
    },
    async sync() {
      await fdatasync(fd);
      if (directorySynced) return;
      // The names of a new file and of its new folder must survive, too.
      await syncDirectory(dirname(path));
      await syncDirectory(dirname(dirname(path)));
      directorySynced = true;
    },
    size: () => fstatSync(fd).size,
    async close() {
      if (open) closeSync(fd);
      open = false;
    },
  };
}

function kindOf(entry: Pick<Stats, 'isFile' | 'isDirectory' | 'isSymbolicLink'>): FileStat['kind'] {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'directory';
  return entry.isSymbolicLink() ? 'symlink' : 'other';
}

function toFileStat(stat: Stats): FileStat {
  return {
    kind: kindOf(stat),
    size: stat.size,
    mtimeMs: stat.mtimeMs,
    ctimeMs: stat.ctimeMs,
    bornMs: stat.birthtimeMs,
    mode: stat.mode & PERMISSIONS,
    ino: stat.ino,
    dev: stat.dev,
    links: stat.nlink,
    uid: stat.uid,
  };
}
