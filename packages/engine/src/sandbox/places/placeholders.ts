/**
 * A mount needs an existing target: while a command runs, a placeholder takes the path of a file or folder
 * that must not come into being. It is made so that git outside passes over it: an empty folder, a socket in
 * the place of a file. Commands that run at the same time share it, in other processes of this user too; the
 * last one takes it away.
 */
import { randomUUID } from 'node:crypto';
import type { Stats } from 'node:fs';
import {
  chmod,
  constants,
  link,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  readlink,
  rmdir,
  unlink,
  writeFile,
} from 'node:fs/promises';
import { createServer } from 'node:net';
import { basename, dirname, join } from 'node:path';
import { CountedUse } from '../counted-use.ts';
import { holdPath, inTurn } from './held-names.ts';

type PlaceholderKind =
  | 'folder'
  /** Read as empty where it is held. */
  | 'file'
  /** Of a git folder: it says that nothing of it lies elsewhere. */
  | 'ownFolder';

export interface Placeholder {
  readonly path: string;
  readonly kind: PlaceholderKind;
}

/** What git reads as "here". */
const OWN_FOLDER = '.\n';
/**
 * With the sticky bit, which is never set on such a folder or file, so that leftovers of a killed process are
 * recognised.
 */
const FOLDER_MODE = 0o1755;
const FILE_MODE = 0o1444;
const SOCKET_MODE = 0;
const OWN_FOLDER_MODE = 0o444;

const users = new CountedUse();

/** Resolves to what takes them away again, as far as they are still empty. */
export async function placeHolders(places: readonly Placeholder[]): Promise<() => Promise<void>> {
  const held: (() => Promise<void>)[] = [];
  const releaseAll = () =>
    held.length === 0
      ? Promise.resolve()
      : inTurn(async () => {
          for (const release of held.splice(0)) await release();
        });
  if (places.length === 0) return releaseAll;
  try {
    await inTurn(async () => {
      for (const place of places) held.push(await hold(place));
    });
  } catch (error) {
    await releaseAll();
    throw error;
  }
  return releaseAll;
}

async function hold(place: Placeholder): Promise<() => Promise<void>> {
  const { path } = place;
  if (users.isUsed(path)) return users.use(path);
  const held = await holdPath(path);
  try {
    await make(place).catch(async (error: unknown) => {
      if (!(await isLeftOver(path))) throw error;
    });
  } catch (error) {
    await held.letGo();
    throw error;
  }
  return users.use(path, async () => {
    if (!(await held.letGo())) await remove(place);
  });
}

async function make({ path, kind }: Placeholder): Promise<void> {
  await workInFolder(path, async (place, folder) => {
    switch (kind) {
      case 'folder':
        await mkdir(place);
        return chmod(place, FOLDER_MODE);
      case 'ownFolder':
        return writeFile(place, OWN_FOLDER, { flag: 'wx', mode: OWN_FOLDER_MODE });
      case 'file':
        // Of a git folder git lists nothing, and reads these itself.
        if (isInGit(path)) return makeFile(place);
        return makeSocket(place, folder).catch((error: NodeJS.ErrnoException) => {
          if (error.code === 'EEXIST') throw error;
          return makeFile(place);
        });
    }
  });
}

async function makeFile(place: string): Promise<void> {
  await writeFile(place, '', { flag: 'wx' });
  await chmod(place, FILE_MODE);
}

/** A socket without a listener: opening it fails immediately, where a FIFO would wait. */
async function makeSocket(place: string, folder: string): Promise<void> {
  const passing = join(folder, `.turnwright-${randomUUID().slice(0, 8)}`);
  const server = createServer();
  try {
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen({ path: passing, exclusive: true }, resolve);
    });
    await link(passing, place);
    await chmod(place, SOCKET_MODE);
  } finally {
    // Takes the first name away.
    await new Promise((resolve) => server.close(resolve));
  }
}

async function remove({ path, kind }: Placeholder): Promise<void> {
  await workInFolder(path, async (place) => {
    if (!(await isLeftOver(place))) {
      // What was put into the folder from outside stays, in a folder like any other.
      const { mode } = await lstat(place);
      if (kind === 'folder' && (mode & 0o7777) === FOLDER_MODE) await chmod(place, mode & 0o777);
      return;
    }
    await (kind === 'folder' ? rmdir(place) : unlink(place));
  }).catch(() => {});
}

/**
 * Works in the folder that the path names now, by a descriptor: not in one that a link in its place leads to.
 */
export async function workInFolder(
  path: string,
  work: (place: string, folder: string) => Promise<void>,
): Promise<void> {
  const handle = await open(dirname(path), constants.O_RDONLY | constants.O_DIRECTORY);
  try {
    const folder = `/proc/self/fd/${handle.fd}`;
    if ((await readlink(folder)) !== dirname(path))
      throw new Error(`The folder ${dirname(path)} changed while the sandbox was prepared. Try again.`);
    await work(join(folder, basename(path)), folder);
  } finally {
    await handle.close();
  }
}

function isInGit(path: string): boolean {
  return dirname(path).split('/').includes('.git');
}

/** Those that hold a place now, beside what was found on disk: they do not count as there. */
export function isPlaceholder(path: string): boolean {
  return users.isUsed(path);
}

/**
 * Whether it holds a place for another process, living or killed: it does not count as there, and goes with
 * the last.
 */
export async function isLeftOver(path: string, found?: Stats): Promise<boolean> {
  const stats = found ?? (await lstat(path).catch(() => undefined));
  if (stats === undefined) return false;
  const mode = stats.mode & 0o7777;
  if (stats.isDirectory())
    return mode === FOLDER_MODE && (await readdir(path).catch(() => undefined))?.length === 0;
  if (stats.isSocket()) return mode === SOCKET_MODE;
  if (!stats.isFile()) return false;
  if (stats.size === 0) return mode === FILE_MODE;
  if (mode !== OWN_FOLDER_MODE || stats.size !== OWN_FOLDER.length) return false;
  return (await readFile(path, 'utf8').catch(() => '')) === OWN_FOLDER;
}
