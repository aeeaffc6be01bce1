/** Where memory files are looked for. */
import { join } from 'node:path';
import type { PersistentFiles } from '../protocol/files.ts';
import { markdownIn } from '../util/files/folders.ts';

const MAX_RULES = 50;
const MAX_RULE_DEPTH = 5;
const FOLDERS = ['.claude', '.turnwright'] as const;

type Files = Pick<PersistentFiles, 'stat' | 'readDir'>;

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

/** Rules of a project folder; each may name in its frontmatter the files that it applies to. */
export async function projectRules(folder: string, files: Files): Promise<readonly string[]> {
  const lists = await Promise.all(FOLDERS.map((name) => rulesIn(join(folder, name, 'rules'), files)));
  return lists.flat().slice(0, MAX_RULES);
}

/** The user's files for every project, in the configuration home. */
export async function userFiles(home: string, files: Files): Promise<readonly string[]> {
  const [first] = await present([join(home, 'CLAUDE.md'), join(home, 'AGENTS.md')], files);
  const rules = (await rulesIn(join(home, 'rules'), files)).slice(0, MAX_RULES);
  return [...(first === undefined ? [] : [first]), ...rules];
}

/** Rules of a folder, then those of its sub-folders; links to folders are not followed up twice. */
async function rulesIn(folder: string, files: Files, depth = 0): Promise<readonly string[]> {
  const own = await markdownIn(folder, files);
  if (depth === MAX_RULE_DEPTH) return own;
  const names = (await files.readDir(folder).catch(() => [])).filter((name) => !/^\.|\.md$/.test(name));
  const below: string[] = [];
  for (const name of [...names].sort()) {
    const stat = await files.stat(join(folder, name)).catch(() => undefined);
    if (stat?.kind === 'directory') below.push(...(await rulesIn(join(folder, name), files, depth + 1)));
  }
  return [...own, ...below];
}

async function present(paths: readonly string[], files: Files): Promise<readonly string[]> {
  const stats = await Promise.all(paths.map((path) => files.stat(path).catch(() => undefined)));
  return paths.filter((_, i) => stats[i]?.kind === 'file');
}
