import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

const known = new Map<string, 'bash' | 'sh'>();

/**
 * The shell for commands with this PATH: bash, else sh. Cached, so that judging and running a command use the
 * same one.
 */
export function shellOn(path: string | undefined): 'bash' | 'sh' {
  const found = known.get(path ?? '');
  if (found !== undefined) return found;
  const names = process.platform === 'win32' ? ['bash.exe', 'bash'] : ['bash'];
  const folders = (path ?? '/usr/bin:/bin').split(delimiter);
  const shell = folders.some((folder) => names.some((name) => isProgram(join(folder || '.', name))))
    ? 'bash'
    : 'sh';
  known.set(path ?? '', shell);
  return shell;
}

function isProgram(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

/** A text as one word of a shell command, for people to copy. */
export const shellWord = (text: string): string =>
  /^[\w./@%+:,=-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
