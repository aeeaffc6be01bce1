/** Which folders the user trusts, and with what content: one small file in the user's own home. */

import { dirname, join } from 'node:path';
import { isRecord } from '@turnwright/base/json-values.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { errorText } from '@turnwright/base/text/error-text.ts';
import { TurnwrightError } from '../../protocol/errors.ts';
import { invalidSettings, parseSettingsJson } from '../read/parse-settings.ts';
import { readIfPresent } from '../read/read-settings.ts';
import { forgetWritten } from './written-names.ts';

export interface TrustStore {
  readonly configHome: string;
  readonly files: Pick<PersistentFiles, 'readFile'>;
}

export interface TrustedFolder {
  readonly root: string;
  readonly hash: string;
  /** Absent in records of earlier versions, which hold while the hash is the same. */
  readonly content?: {
    /** Hash of what the settings say, without where the folder is. */
    readonly settings: string;
    /** Hashes of the files that stood there, by their path in the folder. */
    readonly files: Readonly<Record<string, string>>;
    /** Hooks were among what was trusted. */
    readonly guards: boolean;
    /** What the settings said, to tell what differs; absent in records of earlier versions. */
    readonly items?: readonly { readonly file: string; readonly key: string; readonly value: string }[];
  };
  /** ISO 8601. */
  readonly trustedAt: string;
}

const FILE = 'trusted-folders.json';

export async function readTrustedFolders(store: TrustStore): Promise<readonly TrustedFolder[]> {
  const file = join(store.configHome, FILE);
  const text = await readIfPresent(file, store.files);
  if (text === undefined) return [];
  const held = parseSettingsJson(text, file);
  const folders = isRecord(held) ? held['folders'] : undefined;
  if (!isRecord(folders))
    throw invalidSettings(file, 'it holds no list of folders. Remove it to start anew.');
  return Object.entries(folders).flatMap(([root, entry]) =>
    isRecord(entry) && typeof entry['hash'] === 'string'
      ? [
          {
            root,
            hash: entry['hash'],
            ...readContent(entry['content']),
            trustedAt: String(entry['trustedAt'] ?? ''),
          },
        ]
      : [],
  );
}

function readContent(value: unknown): Pick<TrustedFolder, 'content'> {
  if (!isRecord(value) || typeof value['settings'] !== 'string' || !isRecord(value['files'])) return {};
  const files = Object.entries(value['files']).map(([name, hash]) => [name, String(hash)]);
  const content = { settings: value['settings'], files: Object.fromEntries(files) };
  const items = Array.isArray(value['items']) ? value['items'].flatMap(readItem) : undefined;
  return { content: { ...content, guards: value['guards'] === true, ...(items && { items }) } };
}

function readItem(value: unknown): readonly { file: string; key: string; value: string }[] {
  if (!isRecord(value)) return [];
  const { file, key, value: said } = value;
  return typeof file === 'string' && typeof key === 'string' && typeof said === 'string'
    ? [{ file, key, value: said }]
    : [];
}

/** Replaces the folder's earlier entry. */
export async function recordTrust(
  folder: TrustedFolder,
  store: TrustStore & { readonly files: PersistentFiles },
): Promise<void> {
  const others = (await readTrustedFolders(store)).filter(({ root }) => root !== folder.root);
  await write([...others, folder], store);
  await forgetWritten(folder.root, store);
}

/** false: the folder was not trusted. */
export async function removeTrust(
  root: string,
  store: TrustStore & { readonly files: PersistentFiles },
): Promise<boolean> {
  const before = await readTrustedFolders(store);
  const kept = before.filter((folder) => folder.root !== root);
  if (kept.length === before.length) return false;
  await write(kept, store);
  return true;
}

async function write(
  folders: readonly TrustedFolder[],
  { configHome, files }: TrustStore & { readonly files: PersistentFiles },
): Promise<void> {
  const file = join(configHome, FILE);
  const entries = folders.map(({ root, ...entry }) => [root, entry]);
  const text = `${JSON.stringify({ version: 1, folders: Object.fromEntries(entries) }, null, 2)}\n`;
  try {
    await files.makeDir(dirname(file), 0o700);
    await files.writeAtomic(file, text, { mode: 0o600 });
  } catch (cause) {
    const reason = errorText(cause);
    throw new TurnwrightError('storage_error', `Trust cannot be recorded in ${file}: ${reason}`, { cause });
  }
}
