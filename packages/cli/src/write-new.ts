import { rm, writeFile } from 'node:fs/promises';

/**
 * Writes a file that does not exist yet; leaves none behind when that fails. false: there is one of that
 * name. Other errors have its `path`, which the system leaves out when a disk is full.
 */
export async function writeNew(path: string, text: string, mode: number): Promise<boolean> {
  try {
    await writeFile(path, text, { mode, flag: 'wx' });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    await rm(path, { force: true }).catch(() => undefined);
    throw error instanceof Error ? Object.assign(error, { path }) : error;
  }
}
