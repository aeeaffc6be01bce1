/** What Read, Write and Edit share: which file is meant, what the model has seen of it, and how it is replaced. */
import { basename, dirname, join, resolve } from 'node:path';
import type { FileStat } from '../../protocol/files.ts';
import type { ToolContext } from '../../protocol/tool.ts';
import { sha256 } from '../../util/sha256.ts';
import { withPathLock } from '../path-lock.ts';

export const absolutePath = (path: string, cwd: string) => resolve(cwd, path);

export type FileNow =
  | { readonly kind: 'absent' }
  | { readonly kind: 'file'; readonly bytes: Uint8Array; readonly stat: FileStat }
  | { readonly kind: 'refused'; readonly message: string };

/** The file as it is on disk, or why it is not one to write to. */
export async function readForWriting(path: string, { files }: ToolContext): Promise<FileNow> {
  const stat = await files.stat(path);
  if (stat === undefined) {
    const link = await files.lstat(path);
    if (link !== undefined)
      return { kind: 'refused', message: `${path} is a symbolic link to something that does not exist.` };
    return { kind: 'absent' };
  }
  const refusal = kindRefusal(path, stat);
  return refusal === undefined
    ? { kind: 'file', bytes: await files.readFile(path), stat }
    : { kind: 'refused', message: refusal };
}

/** Opening a FIFO or a device may hang or never end: they are told by type, not by trying (F83). */
export function kindRefusal(path: string, stat: FileStat): string | undefined {
  switch (stat.kind) {
    case 'file':
      return undefined;
    case 'directory':
      return `${path} is a directory, not a file. Use Glob, or ls with Bash, to see what is in it.`;
    case 'symlink':
      return `${path} is a symbolic link that leads nowhere.`;
    case 'other':
      return `${path} is a device, pipe or socket, not a regular file.`;
  }
}

/** `undefined` when the model's picture of the file is the file. */
export function staleness(
  path: string,
  bytes: Uint8Array,
  context: ToolContext,
): 'unread' | 'changed' | undefined {
  const seen = context.readFileCache.get(path);
  if (seen === undefined) return 'unread';
  return seen.hash === sha256(bytes) ? undefined : 'changed';
}

export const changedMessage = (path: string) =>
  `${path} has changed since it was read, by the user or by a program. Read it again before writing to it.`;

/** One writer at a time; links to one file are one file. */
export async function lockFile<T>(path: string, context: ToolContext, work: () => Promise<T>): Promise<T> {
  return withPathLock(await realPathOf(path, context), work);
}

/** Replaces the file, or makes it and its folder, and remembers what the model now knows of it. */
export async function saveFile(
  path: string,
  bytes: Uint8Array,
  { existed, partial }: { readonly existed: boolean; readonly partial: boolean },
  context: ToolContext,
): Promise<void> {
  const { files } = context;
  if (!existed) await files.makeDir(dirname(path));
  await files.writeAtomic(path, bytes);
  const stat = await files.stat(path);
  context.readFileCache.set(path, {
    hash: sha256(bytes),
    mtimeMs: stat?.mtimeMs ?? context.nowMs(),
    partial,
  });
}

async function realPathOf(path: string, { files }: ToolContext): Promise<string> {
  try {
    return await files.realpath(path);
  } catch {
    // Not there yet: its folder may be, under another name.
    return files.realpath(dirname(path)).then(
      (folder) => join(folder, basename(path)),
      () => path,
    );
  }
}
