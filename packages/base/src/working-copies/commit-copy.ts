/** The state of a linked working tree as a commit under a name of the repository. */
import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import type { CopyRecord } from './copy-record.ts';
import { type GitPlace, runGitHere, withoutRepositoryFilters } from './run-git-here.ts';

const COMMITTER = {
  GIT_AUTHOR_NAME: 'Turnwright',
  GIT_AUTHOR_EMAIL: 'turnwright@localhost',
  GIT_COMMITTER_NAME: 'Turnwright',
  GIT_COMMITTER_EMAIL: 'turnwright@localhost',
};

/** Where the work of the copy of this name is committed. */
const copyRef = (name: string): string => `refs/turnwright/${name}`;

/**
 * Commits what git does not ignore, on top of the commit that is checked out there, and resolves to the ref.
 * Neither the copy, its index nor a branch changes. A commit that the ref had is the second parent, so that
 * it is not lost.
 */
export async function commitCopy(
  {
    container,
    record,
    name,
  }: { readonly container: string; readonly record: CopyRecord; readonly name: string },
  { env, signal }: Pick<GitPlace, 'env' | 'signal'>,
): Promise<string> {
  const common = record.repository;
  if (common === undefined)
    throw new Error(`${record.folder} is no git repository: nothing can be committed.`);
  const files = join(container, 'files');
  const index = join(container, 'compare', 'commit-index');
  const filters = await withoutRepositoryFilters({ cwd: common, env, signal });
  // Not through `.git` of the copy, which the agent could have changed; objects go to the repository.
  const git = { ...filters, ...COMMITTER, GIT_DIR: common, GIT_WORK_TREE: files, GIT_INDEX_FILE: index };
  const place: GitPlace = { cwd: files, env, signal, git };
  const run = async (...args: string[]) => (await runGitHere(args, place)).trim();
  const head = await runGitHere(['rev-parse', '--verify', 'HEAD^{commit}'], { cwd: files, env, signal });
  await fs.rm(index, { force: true });
  await run('read-tree', head.trim());
  await run('add', '--all', '.');
  const tree = await run('write-tree');
  await fs.rm(index, { force: true });
  const ref = copyRef(name);
  const before = await run('rev-parse', '--verify', '-q', `${ref}^{commit}`).catch(() => undefined);
  if (before !== undefined && (await run('rev-parse', `${before}^{tree}`)) === tree) {
    const [first] = (await run('rev-parse', `${before}^@`)).split('\n');
    if (first === head.trim()) return ref;
  }
  const parents = [head.trim(), ...(before === undefined ? [] : [before])].flatMap((each) => ['-p', each]);
  const commit = await run('commit-tree', tree, ...parents, '-m', `Work in the worktree ${name}`);
  // Fails where another process has moved it meanwhile.
  await run('update-ref', ref, commit, before ?? '0'.repeat(commit.length));
  return ref;
}
