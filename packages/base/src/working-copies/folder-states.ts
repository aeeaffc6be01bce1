/** The state of a folder as a tree of git, in a store of objects of its own, and what git ignores in it. */
import * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { sha256 } from '../ids/hash-and-uuid.ts';
import { type GitPlace, runGitHere } from './run-git-here.ts';

/** Writes what git does not ignore as a tree into the store that `place` names. Resolves to its id. */
export async function writeTree(place: GitPlace): Promise<string> {
  await runGitHere(['add', '--all', '.'], place);
  return (await runGitHere(['write-tree'], place)).trim();
}

/** Paths that git ignores, relative to the root, with forward slashes; a whole folder ends with `/`. */
export async function listIgnored(place: GitPlace): Promise<readonly string[]> {
  const args = ['ls-files', '-z', '--others', '--ignored', '--exclude-standard', '--directory'];
  return (await runGitHere(args, place)).split('\0').filter((path) => path !== '');
}

/** Folders of other repositories in the tree: submodules, and clones that lie in the folder. */
export async function listInnerRepositories(tree: string, place: GitPlace): Promise<readonly string[]> {
  const lines = (await runGitHere(['ls-tree', '-r', '-z', tree], place)).split('\0');
  return lines.filter((line) => line.startsWith('160000 ')).map((line) => line.slice(line.indexOf('\t') + 1));
}

interface FolderSize {
  readonly bytes: number;
  readonly files: number;
}

/** Of files and folders in them; links are not followed. Ends early once `maxBytes` is passed. */
export async function measureFiles(paths: readonly string[], maxBytes = Infinity): Promise<FolderSize> {
  let bytes = 0;
  let files = 0;
  await visitFiles(paths, (_, stat) => {
    bytes += stat.size;
    files += 1;
    return bytes <= maxBytes;
  });
  return { bytes, files };
}

/** Changes whenever one of these files gets another name, size or time. */
export async function fingerprintFiles(paths: readonly string[]): Promise<string> {
  const lines: string[] = [];
  await visitFiles(paths, (path, stat) => {
    lines.push(`${path}\0${stat.size}\0${stat.mtimeMs}`);
    return true;
  });
  return sha256(lines.sort().join('\n'));
}

type Stat = { readonly size: number; readonly mtimeMs: number };

/** `visit` returns false to end it. What vanishes meanwhile is passed over. */
async function visitFiles(
  paths: readonly string[],
  visit: (path: string, stat: Stat) => boolean,
): Promise<boolean> {
  for (const path of paths) {
    const stat = await fs.lstat(path).catch(() => undefined);
    if (stat === undefined) continue;
    if (!stat.isDirectory()) {
      if (!visit(path, stat)) return false;
      continue;
    }
    const names = await fs.readdir(path).catch(() => []);
    if (
      !(await visitFiles(
        names.map((name) => join(path, name)),
        visit,
      ))
    )
      return false;
  }
  return true;
}
