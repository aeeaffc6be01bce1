import { dirname } from 'node:path';
import { plainJson } from '@turnwright/base/files/plain-json.ts';
import { isRecord } from '@turnwright/base/json-values.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { invalidSettings, parseSettingsJson } from '../read/parse-settings.ts';
import { readIfPresent } from '../read/read-settings.ts';
import { withKey } from './edit-json.ts';

export interface JsonChange {
  /** One key of the object that the file holds, and its value after the change. */
  readonly key: string;
  readonly value: unknown;
}

export interface JsonFile {
  readonly file: string;
  readonly files: PersistentFiles;
  /** Of a new file. */
  readonly mode: number;
  /** Of a new folder around it. Default that of the system. */
  readonly folderMode?: number | undefined;
}

const ATTEMPTS = 5;

/** An object to add a key to, also where the file has nothing but blanks and comments. */
function objectIn(text: string | undefined): string {
  if (text === undefined) return '{}\n';
  return plainJson(text).trim() === '' ? `${text}\n{}\n` : text;
}

/**
 * Changes one key of a JSON file atomically and keeps every other byte. `edit` receives the value in the file
 * and is called again when another process wrote meanwhile; undefined changes nothing. Throws
 * `invalid_settings` when the file does not contain a JSON object, which is then left unchanged.
 */
export async function changeJsonFile(
  { file, files, mode, folderMode }: JsonFile,
  edit: (held: Readonly<Record<string, unknown>>) => JsonChange | undefined | Promise<JsonChange | undefined>,
): Promise<void> {
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const text = await readIfPresent(file, files);
    const held = text === undefined ? {} : parseSettingsJson(text, file);
    if (!isRecord(held)) throw invalidSettings(file, 'it is no JSON object, so nothing can be added to it.');
    const change = await edit(held);
    if (change === undefined) return;
    const changed = withKey(objectIn(text), change.key, change.value);
    // Another process may have written meanwhile; its change must not be lost.
    if ((await readIfPresent(file, files)) !== text) continue;
    await files.makeDir(dirname(file), folderMode);
    await files.writeAtomic(file, changed, { mode });
    return;
  }
  throw invalidSettings(file, 'other programs keep changing it; try again.');
}
