/** Whether a path lies in a folder, by what both really are. */
import { isAbsolute, relative, sep } from 'node:path';
import type { PersistentFiles } from '../protocol/files.ts';

/** Links are followed; what cannot be resolved is outside. */
export async function isReallyInside(
  path: string,
  folder: string,
  files: Pick<PersistentFiles, 'realpath'>,
): Promise<boolean> {
  try {
    const [real, root] = await Promise.all([files.realpath(path), files.realpath(folder)]);
    const way = relative(root, real);
    return way !== '..' && !way.startsWith(`..${sep}`) && !isAbsolute(way);
  } catch {
    return false;
  }
}
