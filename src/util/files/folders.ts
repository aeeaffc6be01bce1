/** Finds folders of a project. Never throws for what is missing or unreadable. */
import { dirname, join, relative, sep } from 'node:path';
import type { PersistentFiles } from '../../protocol/files.ts';
import { isInside } from './inside.ts';

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

/** The same; undefined outside of a repository. */
export async function foldersOfRepository(
  folder: string,
  files: Pick<PersistentFiles, 'exists'>,
): Promise<readonly string[] | undefined> {
  const folders: string[] = [];
  for (let at = folder; folders.length < MAX_FOLDERS; at = dirname(at)) {
    folders.push(at);
    if (await files.exists(join(at, '.git'))) return folders;
    if (dirname(at) === at) break;
  }
  return undefined;
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
