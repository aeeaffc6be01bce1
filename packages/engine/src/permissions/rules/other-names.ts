/**
 * A file has as many names as it has hard links: whether one of them, somewhere else, is one that a rule
 * forbids.
 */
import { join } from 'node:path';
import type { FileStat, PersistentFiles } from '@turnwright/base/persistent-files.ts';

type NameReader = Pick<PersistentFiles, 'lstat'> & Partial<Pick<PersistentFiles, 'readDir'>>;

/** Beyond so many entries of folders, nothing is known. */
const MAX_ENTRIES = 20_000;
/** Folders of other programs, with files in great number. Looked into where a pattern begins in one. */
const PASSED_OVER: readonly string[] = ['.git', 'node_modules'];

/** The files with several names that a pattern covers; undefined: there is too much to look at. */
export type LinkedFiles = ReadonlySet<string> | undefined;

/** One file of this machine. */
export const identifyFile = ({ dev = 0, ino }: FileStat) => `${dev}:${ino}`;

/** Of the files below `base` (or `base` itself) for which `covers` holds, those with several names. */
export async function linkedFiles(
  base: string,
  covers: (path: string) => boolean,
  files: NameReader,
): Promise<LinkedFiles> {
  const found = new Set<string>();
  const take = (path: string, stat: FileStat) => {
    if (stat.kind === 'file' && (stat.links ?? 1) > 1 && covers(path)) found.add(identifyFile(stat));
  };
  const first = await files.lstat(base).catch(() => undefined);
  if (first === undefined) return found;
  take(base, first);
  let looked = 0;
  for (let level = first.kind === 'directory' ? [base] : []; level.length > 0; ) {
    const below: string[] = [];
    for (const folder of level) {
      const names = (await files.readDir?.(folder).catch(() => [])) ?? [];
      looked += names.length;
      if (looked > MAX_ENTRIES) return undefined;
      const stats = await Promise.all(
        names.map((name) => files.lstat(join(folder, name)).catch(() => undefined)),
      );
      for (const [at, stat] of stats.entries()) {
        const name = names[at] ?? '';
        if (stat === undefined) continue;
        take(join(folder, name), stat);
        if (stat.kind === 'directory' && !PASSED_OVER.includes(name)) below.push(join(folder, name));
      }
    }
    level = below;
  }
  return found;
}
