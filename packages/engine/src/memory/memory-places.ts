/** Where memory files are looked for. */
import { join } from 'node:path';
import { markdownBelow } from '@turnwright/base/files/folders.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';

const FOLDERS = ['.claude', '.turnwright'] as const;

type Files = Pick<PersistentFiles, 'stat' | 'readDir' | 'realpath'>;

/** Files of a project folder, weakest first. AGENTS.md is used where there is no CLAUDE.md. */
export async function projectFiles(folder: string, files: Files): Promise<readonly string[]> {
  const own = ['CLAUDE.md', ...FOLDERS.map((name) => join(name, 'CLAUDE.md'))];
  const found = await present(
    own.map((name) => join(folder, name)),
    files,
  );
  if (found.length > 0) return found;
  return present([join(folder, 'AGENTS.md'), join(folder, '.turnwright', 'AGENTS.md')], files);
}

/** Rules of a project folder, also in sub-folders; each may name in its frontmatter the files it is about. */
export async function projectRules(folder: string, files: Files): Promise<readonly string[]> {
  const lists = await Promise.all(FOLDERS.map((name) => markdownBelow(join(folder, name, 'rules'), files)));
  return lists.flatMap(({ paths }) => paths);
}

/** The user's files for every project, in the configuration home. */
export async function userFiles(home: string, files: Files): Promise<readonly string[]> {
  const [first] = await present([join(home, 'CLAUDE.md'), join(home, 'AGENTS.md')], files);
  const rules = await markdownBelow(join(home, 'rules'), files);
  return [...(first === undefined ? [] : [first]), ...rules.paths];
}

async function present(paths: readonly string[], files: Files): Promise<readonly string[]> {
  const stats = await Promise.all(paths.map((path) => files.stat(path).catch(() => undefined)));
  return paths.filter((_, i) => stats[i]?.kind === 'file');
}
