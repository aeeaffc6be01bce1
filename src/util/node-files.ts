/**
 * File writes on `node:fs`: the production implementation of the `PersistentFiles` port.
 * What opens and writes a session is synchronous: a 1 KB `writeSync` into the page cache costs about 2 µs of CPU, the
 * same write through the thread pool about 40 µs.
 */
import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fdatasync as fdatasyncCallback,
  fstatSync,
  linkSync,
  mkdirSync,
  openSync,
  readFileSync,
  readSync,
  renameSync,
  type Stats,
  statSync,
  unlinkSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import * as fs from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { promisify } from 'node:util';
import type { AppendHandle, FileStat, PersistentFiles } from '../protocol/files.ts';
import { codeOf } from './code-of.ts';
import { headOf } from './cut-text.ts';
import { uuid } from './uuid.ts';

const fdatasync = promisify(fdatasyncCallback);
const PERMISSIONS = 0o7777;
/** A pipe in a file's place is empty, not waited for. */
const READ_AT_ONCE = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0);

export const nodeFiles: PersistentFiles = {
  readFile: (path) => fs.readFile(path, { flag: READ_AT_ONCE }),
  readSmall,
  readRange,
  stat: (path) => unlessMissing(fs.stat(path).then(toFileStat)),
  lstat: (path) => unlessMissing(fs.lstat(path).then(toFileStat)),
  realpath: (path) => fs.realpath(path),
  readDir: (path) => fs.readdir(path),
  makeDir,
  writeAtomic,
  createExclusive,
  link: async (file, name) => linkSync(file, name),
  openAppend,
  truncate: (path, length) => fs.truncate(path, length),
  remove: (path) => fs.rm(path, { force: true }),
  removeSmall,
  removeTree: (path) => fs.rm(path, { force: true, recursive: true }),
  rename: async (from, to) => renameSync(from, to),
};

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

async function makeDir(path: string, mode?: number): Promise<void> {
  const before = statSync(path, { throwIfNoEntry: false });
  if (before?.isDirectory() !== true) makeFolders(path, mode);
  if (mode === undefined) return;
  const { mode: actual } = before ?? statSync(path);
  const wanted = (actual & mode) | (mode & 0o700);
  // A folder of another owner cannot be tightened; its files are still ours and closed.
  if (wanted !== (actual & PERMISSIONS)) await fs.chmod(path, wanted).catch(unlessPermitted);
}

/** Not by `recursive`: where nothing can be made, as in /proc or behind a dangling link, that tries for ever. */
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

async function writeAtomic(
  path: string,
  data: Uint8Array | string,
  options: { readonly mode?: number; readonly sync?: boolean } = {},
): Promise<void> {
  // Written through a link, not over it.
  const target = (await unlessMissing(fs.realpath(path))) ?? path;
  const existing = await unlessMissing(fs.stat(target));
  const mode = existing === undefined ? options.mode : existing.mode & PERMISSIONS;
  const temp = temporaryName(target);
  try {
    const file = await fs.open(temp, 'wx', mode ?? 0o666);
    try {
      if (typeof data === 'string' && data.length > PIECE_CHARS) await writeInPieces(file, data);
      else await file.writeFile(data);
      if (existing !== undefined) await keepOwner(file, existing);
      if (mode !== undefined) await file.chmod(mode);
      if (options.sync === true) await file.sync();
    } finally {
      await file.close();
    }
    await fs.rename(temp, target);
  } catch (error) {
    await fs.rm(temp, { force: true }).catch(() => undefined);
    throw error;
  }
  if (options.sync === true) await syncDirectory(dirname(target));
}

const PIECE_CHARS = 1024 * 1024;

/** A text of megabytes is not copied whole for it. */
async function writeInPieces(file: fs.FileHandle, text: string): Promise<void> {
  const utf8 = new TextEncoder();
  const bytes = new Uint8Array(3 * PIECE_CHARS);
  for (let at = 0; at < text.length; ) {
    const piece = headOf(text.slice(at, at + PIECE_CHARS + 1), PIECE_CHARS);
    const { read, written } = utf8.encodeInto(piece, bytes);
    at += read;
    for (let from = 0; from < written; ) from += (await file.write(bytes, from, written - from)).bytesWritten;
  }
}

/** Root editing somebody's file must not make it root's. */
async function keepOwner(file: fs.FileHandle, existing: Stats): Promise<void> {
  const made = await file.stat();
  if (made.uid !== existing.uid || made.gid !== existing.gid) {
    await file.chown(existing.uid, existing.gid).catch(unlessPermitted);
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
      // A file system without hard links: exclusive, though not whole at once.
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
    // It was never made, or somebody else cleared up.
  }
}

/** Unpredictable, in the same folder so that rename and link stay on one file system. */
function temporaryName(path: string): string {
  return join(dirname(path), `.${basename(path).slice(0, 100)}.${uuid()}.tmp`);
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
      // It takes either; its types have one form for each.
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
      // The name of a new file, and of its new folder, must survive too.
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

async function syncDirectory(path: string): Promise<void> {
  const directory = await fs.open(path, 'r');
  try {
    await directory.sync();
  } catch (error) {
    // Some file systems cannot sync a folder; they promise its order themselves.
    if (codeOf(error) !== 'EINVAL' && codeOf(error) !== 'ENOTSUP') throw error;
  } finally {
    await directory.close();
  }
}

function toFileStat(stat: Stats): FileStat {
  const kind = stat.isFile()
    ? 'file'
    : stat.isDirectory()
      ? 'directory'
      : stat.isSymbolicLink()
        ? 'symlink'
        : 'other';
  return {
    kind,
    size: stat.size,
    mtimeMs: stat.mtimeMs,
    mode: stat.mode & PERMISSIONS,
    ino: stat.ino,
    uid: stat.uid,
  };
}

async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    return refuseOthers(error);
  }
}

/** Than that there is no such file. */
function refuseOthers(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT' && codeOf(error) !== 'ENOTDIR') throw error;
}

function unlessPermitted(error: unknown): void {
  if (codeOf(error) !== 'EPERM' && codeOf(error) !== 'EACCES') throw error;
}
