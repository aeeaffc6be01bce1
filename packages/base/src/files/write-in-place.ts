/**
 * Writes into a file instead of replacing it: for a file that cannot be renamed over (it is mounted on its
 * own, or its folder takes no new files), and for one with several names. What was in it is kept until then.
 */
import { constants, type Stats } from 'node:fs';
import * as fs from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { uuid } from '../ids/hash-and-uuid.ts';
import type { FileData } from '../persistent-files.ts';
import { codeOf } from '../text/error-text.ts';
import { PathMovedError } from './plain-path.ts';

const { O_RDWR, O_NOFOLLOW = 0 } = constants;

/** Failures of making a file beside another one, or of renaming over it, that do not concern its content. */
const NOT_REPLACED = new Set(['EBUSY', 'EXDEV', 'EPERM', 'EACCES', 'EROFS', 'ETXTBSY']);

/** Why a file is written in place, as the end of a sentence; undefined: the failure is another one. */
export function whyInPlace(error: unknown): string | undefined {
  const code = codeOf(error);
  if (typeof code !== 'string' || !NOT_REPLACED.has(code)) return undefined;
  return code === 'EBUSY'
    ? 'it is mounted on its own and cannot be replaced'
    : 'nothing can be created or renamed in its folder';
}

/** The same, of a file with several names: a replacement would have only one of them. */
export const namesInPlace = ({ nlink }: Stats) => `its ${nlink} names (hard links) all show the new content`;

/** `existing`: the file that was found there; another one is not written to. */
export async function writeInPlace(
  target: string,
  data: FileData,
  existing: Stats,
  { sync = false, name = target }: { readonly sync?: boolean; readonly name?: string | undefined } = {},
): Promise<void> {
  const bytes =
    data instanceof Uint8Array ? data : Buffer.from(typeof data === 'string' ? data : [...data].join(''));
  const file = await fs.open(target, O_RDWR | O_NOFOLLOW);
  try {
    const { dev, ino } = await file.stat();
    if (dev !== existing.dev || ino !== existing.ino) throw new PathMovedError(name);
    const former = await file.readFile();
    const copy = await saveCopy(former, name);
    try {
      await overwrite(file, bytes);
      if (sync) await file.sync();
    } catch (error) {
      const isBack = await overwrite(file, former).then(
        () => true,
        () => false,
      );
      if (isBack || copy === undefined) throw error;
      throw new Error(
        `${name} was written only in part (${error instanceof Error ? error.message : error}). What was in it before is in ${copy}.`,
        { cause: error },
      );
    }
    if (copy !== undefined) await fs.rm(copy, { force: true });
  } finally {
    await file.close();
  }
}

async function overwrite(file: fs.FileHandle, bytes: Uint8Array): Promise<void> {
  for (let at = 0; at < bytes.length; )
    at += (await file.write(bytes, at, bytes.length - at, at)).bytesWritten;
  await file.truncate(bytes.length);
}

/** For the case that this process dies meanwhile; undefined: there is no place for it. */
async function saveCopy(bytes: Uint8Array, path: string): Promise<string | undefined> {
  const copy = join(tmpdir(), `turnwright-${basename(path).slice(0, 50)}.${uuid()}.before`);
  try {
    await fs.writeFile(copy, bytes, { flag: 'wx', mode: 0o600 });
    return copy;
  } catch {
    return undefined;
  }
}
