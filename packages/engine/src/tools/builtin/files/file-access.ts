/** Shared by Read, Write and Edit: the file of a call, what the model has read of it, and replacing it. */
import { dirname, isAbsolute } from 'node:path';
import { tildeRefusal } from '@turnwright/base/files/home-path.ts';
import { isInside } from '@turnwright/base/files/inside.ts';
import { PathMovedError } from '@turnwright/base/files/plain-path.ts';
import { realPath, resolveLinks } from '@turnwright/base/files/real-path.ts';
import { sha256 } from '@turnwright/base/ids/hash-and-uuid.ts';
import type { FileStat } from '@turnwright/base/persistent-files.ts';
import type { ToolContext } from '../../../protocol/tools/tool.ts';
import { withPathLock } from '../../gate/path-lock.ts';

type Checked = { ok: true } | { ok: false; message: string };

/** Whether the path means a place. */
export async function checkSpelling(
  path: string | undefined,
  { home }: Pick<ToolContext, 'home'>,
): Promise<Checked> {
  const message = path === undefined ? undefined : tildeRefusal(path, home);
  return message === undefined ? { ok: true } : { ok: false, message };
}

/** The same, of a file to write: its place must not be another one than the model meant. */
export async function checkTarget(
  path: string,
  context: Pick<ToolContext, 'home' | 'lostFolder'>,
): Promise<Checked> {
  const { lostFolder } = context;
  if (lostFolder === undefined || isAbsolute(path) || path.startsWith('~'))
    return checkSpelling(path, context);
  return { ok: false, message: `${lostFolder} Nothing was written. Give the absolute path of the file.` };
}

/**
 * The file that a call may open: as it was judged, or as it resolves now if it was not. Throws a sentence for
 * the model if it cannot be resolved.
 */
export async function resolveFilePath(path: string, { judged, files }: ToolContext): Promise<string> {
  const known = judged?.find(({ spelled }) => spelled === path);
  const real = known === undefined ? await realPath(files, path) : known.real;
  if (real !== undefined) return real;
  const link = (await files.lstat(path).catch(() => undefined))?.kind === 'symlink';
  throw new Error(
    link
      ? `${path} is a symbolic link to something that does not exist, or in a circle.`
      : `Where ${path} leads cannot be determined: a link on the way is dangling or circular, or a folder is not accessible.`,
  );
}

/**
 * Whether a check before the permission may reveal the file's content: it was read, or may be read without a
 * question. Otherwise the answer would be an oracle.
 */
export async function mayTell(path: string, real: string, context: ToolContext): Promise<boolean> {
  if ((await context.readFilter?.()?.(path)) === true) return false;
  if (context.readFileCache.get(path) !== undefined) return true;
  const { additionalDirectories, cwd, files, root = cwd } = context;
  for (const folder of [root, ...additionalDirectories])
    if (isInside(real, await resolveLinks(files, folder))) return true;
  return false;
}

type FileNow =
  | { readonly kind: 'absent' }
  | { readonly kind: 'file'; readonly bytes: Uint8Array; readonly stat: FileStat }
  | { readonly kind: 'refused'; readonly message: string };

/** Larger files cannot be edited. */
const MAX_WRITTEN_BYTES = 128 * 1024 * 1024;

/** The file on disk, or why it cannot be written. `real` is resolved. */
export async function readForWriting(path: string, real: string, { files }: ToolContext): Promise<FileNow> {
  const found = await files.readPlain(real, MAX_WRITTEN_BYTES);
  if (found === undefined) {
    const inTheWay = await fileInTheWay(real, files);
    return inTheWay === undefined
      ? { kind: 'absent' }
      : { kind: 'refused', message: isNoFolder(path, inTheWay) };
  }
  const { stat, bytes } = found;
  if (bytes !== undefined) return { kind: 'file', bytes, stat };
  return { kind: 'refused', message: kindRefusal(path, stat) ?? `${path} is too large to be changed here.` };
}

/** A part of a missing path that is no folder, so that nothing can be in it. */
export async function fileInTheWay(
  real: string,
  files: Pick<ToolContext['files'], 'lstat'>,
): Promise<string | undefined> {
  for (let at = dirname(real); dirname(at) !== at; at = dirname(at)) {
    const stat = await files.lstat(at).catch(() => undefined);
    // A link has come since the call was judged: opening the path names it.
    if (stat !== undefined) return stat.kind === 'directory' || stat.kind === 'symlink' ? undefined : at;
  }
  return undefined;
}

export const isNoFolder = (path: string, inTheWay: string) =>
  `${inTheWay} is a file, not a folder, so there can be no ${path}.`;

/** Opening a FIFO or a device may hang or never end: they are recognised by type (F83). */
export function kindRefusal(path: string, stat: FileStat): string | undefined {
  switch (stat.kind) {
    case 'file':
      return undefined;
    case 'directory':
      return `${path} is a directory, not a file. Use Glob, or ls with Bash, to see what is in it.`;
    case 'symlink':
      return new PathMovedError(path).message;
    case 'other':
      return `${path} is a device, pipe or socket, not a regular file.`;
  }
}

/**
 * `undefined` when the model has read the current content; `by-hook`: all but what a hook of the session has
 * changed since, which an edit of a part may leave as it is.
 */
export function staleness(
  path: string,
  bytes: Uint8Array,
  context: ToolContext,
): 'unread' | 'changed' | 'by-hook' | undefined {
  const seen = context.readFileCache.get(path);
  if (seen === undefined) return 'unread';
  const hash = sha256(bytes);
  if (seen.hash === hash) return undefined;
  return seen.byHook?.hash === hash ? 'by-hook' : 'changed';
}

export const changedMessage = (path: string) =>
  `${path} has changed since it was read, by the user or by a program. Read it again before writing to it.`;

/** One writer at a time; links to one file are one file. */
export async function lockFile<T>(
  path: string,
  context: ToolContext,
  work: (real: string) => Promise<T>,
): Promise<T> {
  const real = await resolveFilePath(path, context);
  return withPathLock(real, () => work(real));
}

/**
 * Replaces or creates the file and its folder, and updates what the model has read of it. Resolves with what
 * the model must know beside the success, usually ''.
 */
export async function saveFile(
  path: string,
  real: string,
  bytes: Uint8Array,
  partial: boolean,
  { files, nowMs, readFileCache }: ToolContext,
): Promise<string> {
  const unseen = readFileCache.get(path)?.byHook;
  const before = await files.lstat(real);
  const notes: string[] = [];
  if (before?.kind === 'file' && (before.mode & 0o222) === 0)
    notes.push(`It was read-only (mode ${(before.mode & 0o777).toString(8)}), and still is.`);
  await files.writeAtomic(real, bytes, {
    plain: true,
    spelled: path,
    onInPlace: (why) => notes.push(`It was written in place: ${why}.`),
  });
  const stat = await files.lstat(real);
  const now = { hash: sha256(bytes), mtimeMs: stat?.mtimeMs ?? nowMs() };
  // What a hook changed before is in the file, and the model has not seen it.
  readFileCache.set(path, {
    ...now,
    partial,
    real,
    ...(unseen !== undefined && { hash: unseen.hash, byHook: now }),
  });
  return notes.map((note) => ` ${note}`).join('');
}
