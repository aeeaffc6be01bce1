/** Whether a path is inside a folder. */
import { sep } from 'node:path';
import type { PersistentFiles } from '../persistent-files.ts';

/** By spelling: `/proj-evil` is not inside `/proj`. Both absolute and normalised. */
export function isInside(path: string, folder: string): boolean {
  return path === folder || path.startsWith(folder.endsWith(sep) ? folder : folder + sep);
}

/** By resolved paths. What cannot be resolved is outside. */
export async function isReallyInside(
  path: string,
  folder: string,
  files: Pick<PersistentFiles, 'realpath'>,
): Promise<boolean> {
  try {
    const [real, root] = await Promise.all([files.realpath(path), files.realpath(folder)]);
    return isInside(real, root);
  } catch {
    return false;
  }
}
