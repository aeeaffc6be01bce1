/** Where the worktrees of a repository are: beside it, with those of forks. */
import { basename, dirname, join } from 'node:path';
import { findGitFolder } from '@turnwright/base/files/git-folder.ts';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { type KeptCopy, listKeptCopies } from '@turnwright/base/working-copies/kept-copies.ts';
import { UsageError } from '../usage-error.ts';

export interface WorktreePlaces {
  /** Of the repository, or of the folder outside of one. */
  readonly root: string;
  /** For new ones: `<root>.worktrees`. */
  readonly parent: string;
  readonly parents: readonly string[];
}

/** From within a worktree they are those of the repository that it belongs to. */
export async function findWorktreePlaces(cwd: string): Promise<WorktreePlaces> {
  const here = (await findGitFolder(cwd, nodeFiles))?.root ?? cwd;
  const among = await listKeptCopies(dirname(dirname(here)));
  const own = among.find(({ container }) => container === dirname(here));
  const root = own === undefined ? here : ((await findGitFolder(own.folder, nodeFiles))?.root ?? own.folder);
  const beside = (name: string) => join(dirname(root), `${basename(root)}.${name}`);
  const parent = beside('worktrees');
  return { root, parent, parents: [parent, beside('forks')] };
}

export async function listWorktreeCopies({ parents }: WorktreePlaces): Promise<readonly KeptCopy[]> {
  return (await Promise.all(parents.map(listKeptCopies))).flat();
}

export function checkWorktreeName(name: string): void {
  if (/^\w[\w.-]{0,63}$/.test(name) && !name.endsWith('.lock') && !name.includes('..')) return;
  throw new UsageError(
    `"${name}" cannot name a worktree: letters, digits, "-", "_" and "." only, at most 64. Put -- before the task.`,
  );
}
