/** The working trees of a folder's git repository, found without git. */
import { dirname, join, resolve } from 'node:path';
import type { PersistentFiles } from '../../protocol/files.ts';

/** The folder itself first; alone when it is in no repository. */
export async function worktreesOf(files: PersistentFiles, folder: string): Promise<readonly string[]> {
  const common = await commonDirectory(files, folder);
  if (common === undefined) return [folder];
  const linked = join(common, 'worktrees');
  const names = (await files.stat(linked))?.kind === 'directory' ? await files.readDir(linked) : [];
  const gitFiles = await Promise.all(names.map((name) => firstLine(files, join(linked, name, 'gitdir'))));
  const trees = gitFiles.flatMap((path) => (path === undefined ? [] : [dirname(resolve(linked, path))]));
  return [...new Set([folder, dirname(common), ...trees])];
}

/** The `.git` folder that all working trees share. */
async function commonDirectory(files: PersistentFiles, folder: string): Promise<string | undefined> {
  for (let at = folder; ; at = dirname(at)) {
    const git = join(at, '.git');
    const stat = await files.stat(git);
    if (stat?.kind === 'directory') return git;
    if (stat?.kind === 'file') {
      const own = (await firstLine(files, git))?.replace(/^gitdir:\s*/, '');
      if (own === undefined) return undefined;
      const directory = resolve(at, own);
      const common = await firstLine(files, join(directory, 'commondir'));
      return common === undefined ? undefined : resolve(directory, common);
    }
    if (dirname(at) === at) return undefined;
  }
}

async function firstLine(files: PersistentFiles, path: string): Promise<string | undefined> {
  if ((await files.stat(path))?.kind !== 'file') return undefined;
  const text = Buffer.from(await files.readFile(path)).toString('utf8');
  return text.split('\n')[0]?.trim() || undefined;
}
