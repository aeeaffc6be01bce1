/**
 * Nothing can be laid over what is not there: for the time of a command an empty folder stands in the place of a file or
 * folder that must not come into being. Commands that run at the same time share it; the last one takes it away.
 */
import type { Stats } from 'node:fs';
import { lstat, mkdir, readdir, readFile, rmdir, unlink, writeFile } from 'node:fs/promises';
import { CountedUse } from './counted-use.ts';

/** What git reads as "here". */
const OWN_FOLDER = '.\n';
const EMPTY_MODE = 0o555;
const OWN_FOLDER_MODE = 0o444;

const users = new CountedUse();

/** Resolves to what takes them away again, as far as they are still empty. */
export async function placeHolders(
  absent: readonly string[],
  ownFolder: readonly string[],
): Promise<() => Promise<void>> {
  const held: (() => Promise<void>)[] = [];
  const hold = async (path: string, make: () => Promise<unknown>, remove: () => Promise<void>) => {
    if (!users.isUsed(path))
      await make().catch(async (error: unknown) => {
        if (!(await isLeftOver(path))) throw error;
      });
    held.push(users.use(path, remove));
  };
  try {
    for (const path of absent)
      await hold(
        path,
        () => mkdir(path, { mode: EMPTY_MODE }),
        () => rmdir(path),
      );
    for (const path of ownFolder)
      await hold(
        path,
        () => writeFile(path, OWN_FOLDER, { flag: 'wx', mode: OWN_FOLDER_MODE }),
        () => unlink(path),
      );
  } catch (error) {
    await releaseAll(held);
    throw error;
  }
  return () => releaseAll(held);
}

async function releaseAll(held: readonly (() => Promise<void>)[]): Promise<void> {
  for (const release of held) await release();
}

/** Those that hold a place now, beside what was found on disk: they do not count as there. */
export function isPlaceholder(path: string): boolean {
  return users.isUsed(path);
}

/** Whether it holds a place for a process that was killed: it does not count as there, and goes with the next command. */
export async function isLeftOver(path: string, found?: Stats): Promise<boolean> {
  const stats = found ?? (await lstat(path).catch(() => undefined));
  if (stats === undefined) return false;
  const mode = stats.mode & 0o777;
  if (stats.isDirectory())
    return mode === EMPTY_MODE && (await readdir(path).catch(() => undefined))?.length === 0;
  if (!stats.isFile() || mode !== OWN_FOLDER_MODE || stats.size !== OWN_FOLDER.length) return false;
  return (await readFile(path, 'utf8').catch(() => '')) === OWN_FOLDER;
}
