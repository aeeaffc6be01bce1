/** Folders that may be gone by the time they are used: removed, renamed, or part of a worktree that was. */
import { statSync } from 'node:fs';
import { dirname } from 'node:path';
import { codeOf } from '../text/error-text.ts';

/** Synchronous, without the thread pool. A folder that cannot be looked at is not known to be gone. */
export function isGone(folder: string): boolean {
  try {
    return statSync(folder, { throwIfNoEntry: false })?.isDirectory() !== true;
  } catch (error) {
    return codeOf(error) === 'ENOTDIR';
  }
}

/** The folder, else the nearest one above it that exists. */
export function standingFolder(folder: string): string {
  let at = folder;
  while (isGone(at) && dirname(at) !== at) at = dirname(at);
  return at;
}
