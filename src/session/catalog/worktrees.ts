/** The working trees of a folder's git repository, found without git. */
import { dirname } from 'node:path';
import type { PersistentFiles } from '../../protocol/files.ts';
import { findGitFolder, linkedTrees } from '../../util/files/git-folder.ts';

/**
 * The folder itself first; the only one if it is in no repository. A tree counts only if the repository and
 * the tree name each other: a folder cannot list the sessions of another one by naming it (T106).
 */
export async function worktreesOf(files: PersistentFiles, folder: string): Promise<readonly string[]> {
  const git = await findGitFolder(folder, files);
  if (git === undefined) return [folder];
  return [...new Set([folder, dirname(git.common), ...(await linkedTrees(git, files))])];
}
