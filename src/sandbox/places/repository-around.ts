/**
 * Repositories that the working folders lie in: without their folder git could be read there, and nothing
 * committed.
 */
import { lstat } from 'node:fs/promises';
import { findGitFolder } from '../../util/files/git-folder.ts';
import { isInside } from '../../util/files/inside.ts';
import { nodeFiles } from '../../util/files/node-files.ts';

/**
 * The folder that git keeps the commits of each in, where it lies outside of all of them. Only one that is
 * the user's own, and that names a linked working tree in turn: a file that points at another's repository
 * opens nothing.
 */
export async function gitFoldersAround(roots: readonly string[]): Promise<readonly string[]> {
  const found = new Set<string>();
  for (const root of roots) {
    const git = await findGitFolder(root, nodeFiles);
    if (git === undefined) continue;
    const path = await nodeFiles.realpath(git.common).catch(() => undefined);
    if (path === undefined || roots.some((open) => isInside(path, open))) continue;
    const { uid } = await lstat(path);
    if (uid === process.getuid?.()) found.add(path);
  }
  return [...found];
}
