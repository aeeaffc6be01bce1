/** The branch that a folder is on, of the repository around it. */
import { readFile, stat } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';

const COMMIT_CHARS = 7;

/** undefined: it is in none, or that cannot be read. Of a commit without a branch: its first characters. */
export async function readBranch(cwd: string): Promise<string | undefined> {
  const folder = await findGitFolder(cwd);
  const head = folder && (await readFile(join(folder, 'HEAD'), 'utf8').catch(() => undefined))?.trim();
  if (head === undefined || head === '') return undefined;
  return /^ref: refs\/heads\/(.+)$/.exec(head)?.[1] ?? head.slice(0, COMMIT_CHARS);
}

async function findGitFolder(from: string): Promise<string | undefined> {
  for (let at = resolve(from); ; at = dirname(at)) {
    const path = join(at, '.git');
    const found = await stat(path).catch(() => undefined);
    if (found?.isDirectory()) return path;
    // A worktree or a submodule says where its own is.
    if (found?.isFile()) {
      const link = /^gitdir: (.+)$/m.exec(await readFile(path, 'utf8').catch(() => ''))?.[1];
      return link === undefined ? undefined : resolve(at, link.trim());
    }
    if (at === dirname(at)) return undefined;
  }
}
