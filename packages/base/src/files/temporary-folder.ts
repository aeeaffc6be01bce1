/** Folders in the system's temporary folder, which every user can write to. */
import { chmodSync, lstatSync, mkdtempSync, realpathSync, type Stats } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Creates a folder for this user only (0700), with an unpredictable name. The caller removes it. */
export function makeTemporaryFolder(prefix: string): Promise<string> {
  return mkdtemp(join(tmpdir(), `${prefix}-`));
}

let made: { readonly path: string; readonly stat: Stats } | undefined;

/**
 * The temporary folder of this process, resolved: created on first use, and again when it was removed or
 * replaced.
 */
export function privateTemp(): string {
  if (made === undefined || !isStill(made)) {
    const path = realpathSync(mkdtempSync(join(tmpdir(), 'turnwright-')));
    chmodSync(path, 0o700);
    made = { path, stat: lstatSync(path) };
  }
  return made.path;
}

/** The same, if it was created already. */
export const privateTempSoFar = (): string | undefined => made?.path;

function isStill({ path, stat }: { readonly path: string; readonly stat: Stats }): boolean {
  const now = lstatSync(path, { throwIfNoEntry: false });
  return (
    now?.isDirectory() === true &&
    now.dev === stat.dev &&
    now.ino === stat.ino &&
    now.uid === stat.uid &&
    (process.platform === 'win32' || (now.mode & 0o077) === 0)
  );
}
