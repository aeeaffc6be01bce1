/** Folders in the system's temporary folder, which everybody may write to. */
import { chmodSync, lstatSync, mkdtempSync, realpathSync, type Stats } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A new folder that is this user's alone (0700), under a name that nobody can know before. Its end is the caller's. */
export function makeTemporaryFolder(prefix: string): Promise<string> {
  return mkdtemp(join(tmpdir(), `${prefix}-`));
}

let made: { readonly path: string; readonly stat: Stats } | undefined;

/** The one of this process, such a folder too, free of links: made on first use. Another one is made when it is gone, or is not what was made. */
export function privateTemp(): string {
  if (made === undefined || !isStill(made)) {
    const path = realpathSync(mkdtempSync(join(tmpdir(), 'turnwright-')));
    chmodSync(path, 0o700);
    made = { path, stat: lstatSync(path) };
  }
  return made.path;
}

/** The same, where it was made by now. */
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
