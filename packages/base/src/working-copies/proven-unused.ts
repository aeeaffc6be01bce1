/** What a linked working tree would take with it that neither its files nor its HEAD show. */
import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '../text/error-text.ts';
import { type GitPlace, runGitHere } from './run-git-here.ts';

/** Files and folders of git that stand while something is not finished. */
const UNFINISHED: Readonly<Record<string, string>> = {
  MERGE_HEAD: 'a merge',
  CHERRY_PICK_HEAD: 'a cherry-pick',
  REVERT_HEAD: 'a revert',
  BISECT_LOG: 'a bisection',
  'rebase-merge': 'a rebase',
  'rebase-apply': 'a rebase',
};

/**
 * A sentence without a full stop; undefined: nothing. Rejects when it cannot be found out. `commit`: the one
 * that it began with.
 */
export async function findUnfinishedWork(place: GitPlace, commit: string): Promise<string | undefined> {
  const folder = (await runGitHere(['rev-parse', '--absolute-git-dir'], place)).trim();
  for (const [name, what] of Object.entries(UNFINISHED))
    if (await exists(join(folder, name))) return `${what} is in progress`;
  // Commits that HEAD has left again are nowhere else.
  const log = await fs.readFile(join(folder, 'logs', 'HEAD'), 'utf8').catch(unlessMissing);
  const heads = log.split('\n').flatMap((line) => line.split(' ')[1] ?? []);
  return heads.every((head) => head === commit) ? undefined : 'another commit was checked out or made';
}

const exists = (path: string): Promise<boolean> =>
  fs.lstat(path).then(
    () => true,
    (error: unknown) => {
      if (codeOf(error) === 'ENOENT') return false;
      throw error;
    },
  );

function unlessMissing(error: unknown): string {
  if (codeOf(error) === 'ENOENT') return '';
  throw error;
}
