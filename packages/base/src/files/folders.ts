/** Finds folders of a project. Never throws for what is missing or unreadable. */

import { dirname, join, relative, sep } from 'node:path';
import type { PersistentFiles } from '../persistent-files.ts';
import { isInside } from './inside.ts';
import { resolveLinks } from './real-path.ts';

/** Limit, as each folder costs an access to the disk. */
const MAX_FOLDERS = 32;

/**
 * From `folder` up to the repository's root (the folder with `.git`); `folder` alone outside of one. Nearest
 * first.
 */
export async function projectFolders(
  folder: string,
  files: Pick<PersistentFiles, 'exists'>,
): Promise<readonly string[]> {
  return (await foldersOfRepository(folder, files)) ?? [folder];
}

/** The same; undefined outside of a repository. At most `most` folders are looked at. */
export async function foldersOfRepository(
  folder: string,
  files: Pick<PersistentFiles, 'exists'>,
  most = MAX_FOLDERS,
): Promise<readonly string[] | undefined> {
  const folders: string[] = [];
  for (let at = folder; folders.length < most; at = dirname(at)) {
    folders.push(at);
    if (await files.exists(join(at, '.git'))) return folders;
    if (dirname(at) === at) break;
  }
  return undefined;
}

/** The folder with `.git` that this one is in, however deep; undefined outside of a repository. */
export async function findRepository(
  folder: string,
  files: Pick<PersistentFiles, 'exists'>,
): Promise<string | undefined> {
  return (await foldersOfRepository(folder, files, Number.POSITIVE_INFINITY))?.at(-1);
}

/** From `root` down to the folder of `path`, without `root`; none when it is not beneath. Both absolute. */
export function foldersBetween(root: string, path: string): readonly string[] {
  const folder = dirname(path);
  if (!isInside(folder, root)) return [];
  const names = relative(root, folder).split(sep);
  return names
    .filter((name) => name !== '')
    .slice(0, MAX_FOLDERS)
    .map((_, i) => join(root, ...names.slice(0, i + 1)));
}

/** The Markdown files of a folder itself, by name. */
export async function markdownIn(
  folder: string,
  files: Pick<PersistentFiles, 'readDir'>,
): Promise<readonly string[]> {
  const names = await files.readDir(folder).catch(() => []);
  return names
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => join(folder, name));
}

interface FoundBelow {
  /** Absolute, sorted; those of a folder precede those of its folders. */
  readonly paths: readonly string[];
  /** What was left out because there is too much, in a sentence; undefined: nothing. */
  readonly tooMuch?: string;
}

const MAX_FILES_BELOW = 2000;
const MAX_DEPTH_BELOW = 16;

/**
 * The Markdown files of a folder and of the folders in it, except hidden ones. A folder to which several
 * links lead is read once, so that links in a circle end.
 */
export async function markdownBelow(
  folder: string,
  files: Pick<PersistentFiles, 'readDir' | 'realpath' | 'stat'>,
): Promise<FoundBelow> {
  const paths: string[] = [];
  const seen = new Set<string>();
  let tooMuch: string | undefined;
  const walk = async (at: string, depth: number): Promise<void> => {
    const real = await resolveLinks(files, at);
    if (seen.has(real)) return;
    seen.add(real);
    const names = [...(await files.readDir(at).catch(() => []))].sort();
    const below: string[] = [];
    for (const name of names) {
      const path = join(at, name);
      if (name.startsWith('.') || name === 'node_modules') continue;
      if (!name.endsWith('.md')) below.push(path);
      else if (paths.length < MAX_FILES_BELOW) paths.push(path);
      else
        tooMuch = `${folder} holds more than ${MAX_FILES_BELOW} Markdown files; the others were passed over`;
    }
    for (const path of below) {
      const isFolder = (await files.stat(path).catch(() => undefined))?.kind === 'directory';
      if (isFolder && depth < MAX_DEPTH_BELOW) await walk(path, depth + 1);
      else if (isFolder) tooMuch ??= `${path} lies too deep and was passed over`;
    }
  };
  await walk(folder, 0);
  return { paths, ...(tooMuch !== undefined && { tooMuch }) };
}
