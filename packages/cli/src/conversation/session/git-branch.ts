/** The branch that a folder is on, of the repository around it. */
import { findGitFolder, readHead } from '@turnwright/base/files/git-folder.ts';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';

const COMMIT_CHARS = 7;

/** undefined: it is in none, or that cannot be read. Of a commit without a branch: its first characters. */
export async function readBranch(cwd: string): Promise<string | undefined> {
  const git = await findGitFolder(cwd, nodeFiles).catch(() => undefined);
  const head = git && (await readHead(git, nodeFiles).catch(() => undefined));
  return head?.branch ?? head?.commit?.slice(0, COMMIT_CHARS);
}
