/** Paths that begin with `~`, as a shell reads them. */
import { isAbsolute, join, resolve } from 'node:path';

/** What a relative path counts from, and what `~` means; undefined: no home folder is known. */
export interface PathBase {
  readonly cwd: string;
  readonly home?: string | undefined;
}

/** The user's home folder by an environment; undefined when it names none (F123). */
export function homeDirectory(env: Readonly<Record<string, string | undefined>>): string | undefined {
  return env['HOME'] || env['USERPROFILE'] || undefined;
}

const OF_THE_HOME = /^~(?:[/\\]|$)/;
/** `~name/…`: the home folder of another user. Without a slash it may be a file (`~$letter.docx`). */
const OF_ANOTHER_USER = /^~[A-Za-z_][\w.-]*[/\\]/;

/** `~` and `~/x` in the home folder; other paths from the folder of work. */
export function absolutePath(path: string, { cwd, home }: PathBase): string {
  if (isAbsolute(path)) return resolve(path);
  return home !== undefined && OF_THE_HOME.test(path)
    ? resolve(join(home, path.slice(1)))
    : resolve(cwd, path);
}

/** Why a path with `~` means no place; undefined: it does. A folder of that name is written `./~`. */
export function tildeRefusal(path: string, home: string | undefined): string | undefined {
  if (OF_ANOTHER_USER.test(path))
    return `${path}: the home folder of another user is not looked up. Give its absolute path (or ./${path} for a folder of that name).`;
  if (home === undefined && OF_THE_HOME.test(path))
    return `${path}: there is no home folder here, because HOME is not set. Give an absolute path (or ./${path} for a folder of that name).`;
  return undefined;
}
