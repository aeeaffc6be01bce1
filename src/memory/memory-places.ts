/** Where memory files are looked for. */
import { dirname, join, relative, sep } from 'node:path';
import type { PersistentFiles } from '../protocol/files.ts';
import { withSeparator } from './read-memory.ts';

const MAX_FOLDERS = 32;
const MAX_RULES = 50;
const FOLDERS = ['.claude', '.turnwright'] as const;

type Files = Pick<PersistentFiles, 'stat' | 'readDir'>;

/** The repository's root (the folder with `.git`) and down to `cwd`; `cwd` alone outside a repository. */
export async function chainOf(cwd: string, files: Files): Promise<readonly string[]> {
  const folders: string[] = [];
  for (let folder = cwd; folders.length < MAX_FOLDERS; folder = dirname(folder)) {
    folders.unshift(folder);
    if ((await files.stat(join(folder, '.git')).catch(() => undefined)) !== undefined) return folders;
    if (dirname(folder) === folder) break;
  }
  return [cwd];
}

/** From `root` down to the folder of `path`, without `root`; none when it is not beneath. */
export function foldersBetween(root: string, path: string): readonly string[] {
  if (!path.startsWith(withSeparator(root))) return [];
  const names = relative(root, dirname(path)).split(sep);
  return names
    .filter((name) => name !== '')
    .slice(0, MAX_FOLDERS)
    .map((_, i) => join(root, ...names.slice(0, i + 1)));
}

/** Of a folder of a project, weakest first. AGENTS.md speaks where there is no CLAUDE.md. */
export async function projectFiles(folder: string, files: Files): Promise<readonly string[]> {
  const own = ['CLAUDE.md', ...FOLDERS.map((name) => join(name, 'CLAUDE.md'))];
  const found = await present(
    own.map((name) => join(folder, name)),
    files,
  );
  if (found.length > 0) return found;
  return present([join(folder, 'AGENTS.md'), join(folder, '.turnwright', 'AGENTS.md')], files);
}

/** Of a folder of a project; each may say in its frontmatter which files it is about. */
export async function projectRules(folder: string, files: Files): Promise<readonly string[]> {
  const lists = await Promise.all(FOLDERS.map((name) => markdownIn(join(folder, name, 'rules'), files)));
  return lists.flat().slice(0, MAX_RULES);
}

/** The user's own for every project, under the configuration home. */
export async function userFiles(home: string, files: Files): Promise<readonly string[]> {
  const [first] = await present([join(home, 'CLAUDE.md'), join(home, 'AGENTS.md')], files);
  const rules = (await markdownIn(join(home, 'rules'), files)).slice(0, MAX_RULES);
  return [...(first === undefined ? [] : [first]), ...rules];
}

async function present(paths: readonly string[], files: Files): Promise<readonly string[]> {
  const stats = await Promise.all(paths.map((path) => files.stat(path).catch(() => undefined)));
  return paths.filter((_, i) => stats[i]?.kind === 'file');
}

export async function markdownIn(folder: string, files: Files): Promise<readonly string[]> {
  const names = await files.readDir(folder).catch(() => []);
  return names
    .filter((name) => name.endsWith('.md'))
    .sort()
    .map((name) => join(folder, name));
}
