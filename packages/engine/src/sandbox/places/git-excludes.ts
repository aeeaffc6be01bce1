/**
 * Git in the sandbox passes over what only holds a place, so that `git status`, `git stash -u` and `git
 * clean` find nothing of it: there, a repository's own list of ignored files (`info/exclude`) is longer.
 */
import { createHash } from 'node:crypto';
import { lstat, readFile, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { findGitFolder } from '@turnwright/base/files/git-folder.ts';
import { isInside } from '@turnwright/base/files/inside.ts';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import type { Placeholder } from './placeholders.ts';

/** A list that is shown in the place of another. */
interface ShownList {
  readonly source: string;
  readonly path: string;
}

/**
 * Of the repositories that the places lie in, as far as `isOpen` says that their folder can be written.
 * `folder`: where the lists are kept, outside of the sandbox.
 */
export async function excludePlaces(
  places: readonly Placeholder[],
  isOpen: (path: string) => boolean,
  folder: string,
): Promise<readonly ShownList[]> {
  const patterns = new Map<string, string[]>();
  for (const above of new Set(places.map(({ path }) => dirname(path)))) {
    const git = await findGitFolder(above, nodeFiles);
    if (git === undefined || isInside(above, git.common)) continue;
    const list = join(git.common, 'info', 'exclude');
    if (!isOpen(list)) continue;
    const own = places.filter(({ path }) => dirname(path) === above);
    patterns.set(list, [...(patterns.get(list) ?? []), ...own.map(({ path }) => toPattern(path, git.root))]);
  }
  const shown = await Promise.all(
    [...patterns].map(([list, lines]) => longer(list, lines, folder).catch(() => [])),
  );
  return shown.flat();
}

/** A list that is not there cannot be covered, so that git names the places. */
async function longer(list: string, lines: readonly string[], folder: string): Promise<readonly ShownList[]> {
  if (!(await lstat(list)).isFile()) return [];
  const text = `${await readFile(list, 'utf8')}\n${lines.join('\n')}\n`;
  const source = join(folder, `exclude-${createHash('sha256').update(text).digest('hex').slice(0, 16)}`);
  await writeFile(source, text, { mode: 0o444, flag: 'wx' }).catch((error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error;
  });
  return [{ source, path: list }];
}

/** This path alone, below the working tree's root. */
function toPattern(path: string, root: string): string {
  return `/${relative(root, path).replace(/[\\*?[\]!# ]/g, '\\$&')}`;
}
