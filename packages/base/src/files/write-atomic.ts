/** Replaces a file atomically: written beside it, then renamed; in place where that cannot be. */

import type { Stats } from 'node:fs';
import * as fs from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { uuid } from '../ids/hash-and-uuid.ts';
import type { FileData } from '../persistent-files.ts';
import { PIECE_CHARS, splitPieces } from '../text/cut-text.ts';
import { codeOf } from '../text/error-text.ts';
import { type HeldFolder, holdFolder, PathMovedError } from './plain-path.ts';
import { namesInPlace, whyInPlace, writeInPlace } from './write-in-place.ts';

interface WriteOptions {
  readonly mode?: number;
  readonly sync?: boolean;
  readonly plain?: boolean;
  readonly spelled?: string;
  readonly onInPlace?: (why: string) => void;
}

const PERMISSIONS = 0o7777;

/** See `PersistentFiles.writeAtomic`. */
export async function writeAtomic(path: string, data: FileData, options: WriteOptions = {}): Promise<void> {
  if (options.plain === true) return writePlain(path, data, options);
  // Writes to the target of a link, instead of replacing the link.
  const target = (await unlessMissing(fs.realpath(path))) ?? path;
  await replace(target, data, options, await unlessMissing(fs.stat(target)));
  if (options.sync === true) await syncDirectory(dirname(target));
}

async function writePlain(path: string, data: FileData, options: WriteOptions): Promise<void> {
  const folder = await holdFolder(dirname(path), true);
  try {
    const target = folder.at(basename(path));
    const existing = await unlessMissing(fs.lstat(target));
    if (existing?.isSymbolicLink() === true) throw new PathMovedError(path);
    await replace(target, data, options, existing, folder);
  } catch (error) {
    throw namingThePath(error, folder.at(''), dirname(path));
  } finally {
    await folder.close();
  }
  if (options.sync === true) await syncDirectory(dirname(path));
}

/** See `PersistentFiles.remove`. */
export async function remove(path: string, options: { readonly plain?: boolean } = {}): Promise<void> {
  if (options.plain !== true) return fs.rm(path, { force: true });
  const folder = await unlessMissing(holdFolder(dirname(path)));
  try {
    await folder?.check();
    await unlessMissing(fs.unlink(folder?.at(basename(path)) ?? path));
  } finally {
    await folder?.close();
  }
}

async function replace(
  target: string,
  data: FileData,
  options: WriteOptions,
  existing: Stats | undefined,
  folder?: HeldFolder,
): Promise<void> {
  let why = existing !== undefined && existing.nlink > 1 ? namesInPlace(existing) : undefined;
  if (why === undefined) {
    try {
      return await renameOver(target, data, options, existing, folder);
    } catch (error) {
      why = existing?.isFile() === true ? whyInPlace(error) : undefined;
      if (why === undefined) throw error;
    }
  }
  await folder?.check();
  await writeInPlace(target, data, existing as Stats, { ...options, name: options.spelled });
  options.onInPlace?.(why);
}

async function renameOver(
  target: string,
  data: FileData,
  { mode: wanted, sync }: WriteOptions,
  existing: Stats | undefined,
  folder?: HeldFolder,
): Promise<void> {
  const mode = pickMode(existing, wanted);
  const temp = temporaryName(target);
  try {
    const file = await fs.open(temp, 'wx', mode ?? 0o666);
    try {
      if (typeof data === 'string' && data.length > PIECE_CHARS) await writePieces(file, splitPieces(data));
      else if (typeof data === 'string' || data instanceof Uint8Array) await file.writeFile(data);
      else await writePieces(file, data);
      if (existing !== undefined) await keepOwner(file, existing);
      if (mode !== undefined) await file.chmod(mode);
      if (sync === true) await file.sync();
    } finally {
      await file.close();
    }
    await folder?.check();
    await fs.rename(temp, target);
  } catch (error) {
    await fs.rm(temp, { force: true }).catch(() => undefined);
    // The system names the temporary file, or none when the disk is full.
    throw error instanceof Error ? Object.assign(error, { path: target }) : error;
  }
  await folder?.check();
}

/** An owner-only mode is not widened by the mode of the existing file. */
function pickMode(existing: Stats | undefined, wanted: number | undefined): number | undefined {
  if (existing === undefined) return wanted;
  const mode = existing.mode & PERMISSIONS;
  return wanted !== undefined && (wanted & 0o077) === 0 ? mode & wanted : mode;
}

/** Errors of a held folder name its descriptor; this restores the path. */
function namingThePath(error: unknown, held: string, folder: string): unknown {
  if (error instanceof Error) error.message = error.message.replaceAll(held, join(folder, '/'));
  return error;
}

const BUFFER_BYTES = 1024 * 1024;

/** Without a copy of the complete text. */
async function writePieces(file: fs.FileHandle, pieces: Iterable<string>): Promise<void> {
  const utf8 = new TextEncoder();
  let buffer = new Uint8Array(BUFFER_BYTES);
  let filled = 0;
  const flush = async () => {
    for (let from = 0; from < filled; ) from += (await file.write(buffer, from, filled - from)).bytesWritten;
    filled = 0;
  };
  for (const piece of pieces) {
    const most = 3 * piece.length;
    if (filled + most > buffer.length) await flush();
    if (most > buffer.length) buffer = new Uint8Array(most);
    filled += utf8.encodeInto(piece, buffer.subarray(filled)).written;
  }
  await flush();
}

/** A file that root edits keeps its owner. */
async function keepOwner(file: fs.FileHandle, existing: Stats): Promise<void> {
  const made = await file.stat();
  if (made.uid !== existing.uid || made.gid !== existing.gid) {
    await file.chown(existing.uid, existing.gid).catch(unlessPermitted);
  }
}

/**
 * Unpredictable, in the same folder so that rename and link stay on one file system. A name has 255 bytes at
 * most, and a letter up to three of them.
 */
export function temporaryName(path: string): string {
  return join(dirname(path), `.${basename(path).slice(0, 70)}.${uuid()}.tmp`);
}

export async function syncDirectory(path: string): Promise<void> {
  const directory = await fs.open(path, 'r');
  try {
    await directory.sync();
  } catch (error) {
    // Some file systems cannot sync a folder, because they guarantee its order.
    if (codeOf(error) !== 'EINVAL' && codeOf(error) !== 'ENOTSUP') throw error;
  } finally {
    await directory.close();
  }
}

export async function unlessMissing<T>(work: Promise<T>): Promise<T | undefined> {
  try {
    return await work;
  } catch (error) {
    return refuseOthers(error);
  }
}

/** Rethrows all errors but a missing file. */
export function refuseOthers(error: unknown): undefined {
  if (codeOf(error) !== 'ENOENT' && codeOf(error) !== 'ENOTDIR') throw error;
}

export function unlessPermitted(error: unknown): void {
  if (codeOf(error) !== 'EPERM' && codeOf(error) !== 'EACCES') throw error;
}

/** The content in one piece. */
export function wholeData(data: FileData): Uint8Array | string {
  return typeof data === 'string' || data instanceof Uint8Array ? data : [...data].join('');
}
