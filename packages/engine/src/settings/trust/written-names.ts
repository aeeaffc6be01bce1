/**
 * Folders in which commands of a session put what grants rights: it grants none until a person has agreed to
 * it. One small file in the user's own home, which commands in the sandbox cannot reach.
 */
import { dirname, join } from 'node:path';
import { isRecord } from '@turnwright/base/json-values.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { invalidSettings, parseSettingsJson } from '../read/parse-settings.ts';
import { readIfPresent } from '../read/read-settings.ts';

/** Where it is kept: beside the records of trust. */
interface Store<Files = Pick<PersistentFiles, 'readFile'>> {
  readonly configHome: string;
  readonly files: Files;
}

const FILE = 'written-by-commands.json';

/** Real paths of files and folders, such as `/work/app/pkg/.claude`. */
export async function writtenNames({ configHome, files }: Store): Promise<readonly string[]> {
  const file = join(configHome, FILE);
  const text = await readIfPresent(file, files);
  if (text === undefined) return [];
  const held = parseSettingsJson(text, file);
  const paths = isRecord(held) ? held['paths'] : undefined;
  if (!Array.isArray(paths))
    throw invalidSettings(file, 'it holds no list of paths. Remove it to start anew.');
  return paths.filter((path) => typeof path === 'string');
}

export async function rememberWritten(
  added: readonly string[],
  store: Store<PersistentFiles>,
): Promise<void> {
  const known = await writtenNames(store);
  const all = new Set([...known, ...added]);
  if (all.size > known.length) await write([...all], store);
}

/** A person has agreed to what is in this folder (its real path). */
export async function forgetWritten(folder: string, store: Store<PersistentFiles>): Promise<void> {
  const known = await writtenNames(store);
  const kept = known.filter((path) => dirname(path) !== folder);
  if (kept.length < known.length) await write(kept, store);
}

async function write(paths: readonly string[], { configHome, files }: Store<PersistentFiles>): Promise<void> {
  await files.makeDir(configHome, 0o700);
  const text = `${JSON.stringify({ version: 1, paths }, null, 2)}\n`;
  await files.writeAtomic(join(configHome, FILE), text, { mode: 0o600 });
}
