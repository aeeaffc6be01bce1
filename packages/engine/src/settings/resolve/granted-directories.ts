/**
 * Folders that the user opened for a project by answering a permission question: a small file in the user's
 * own home. The project's local settings name them too, but that file can come with a repository; a folder
 * named there is only used if it is recorded here.
 */

import { dirname, isAbsolute, join } from 'node:path';
import { resolveLinks } from '@turnwright/base/files/real-path.ts';
import { isRecord } from '@turnwright/base/json-values.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import type { PermissionUpdate } from '../../protocol/tools/permission.ts';
import { invalidSettings, parseSettingsJson } from '../read/parse-settings.ts';
import { readIfPresent } from '../read/read-settings.ts';
import type { SettingsLayer } from '../settings-keys.ts';
import type { ProjectTrust } from '../trust/trust.ts';

interface GrantStore {
  readonly configHome: string;
  /** Its real path is the key. */
  readonly projectRoot: string;
  readonly files: Pick<PersistentFiles, 'readFile' | 'realpath'>;
}

const FILE = 'granted-directories.json';

/**
 * Which folders the local settings may name: those that the user opened, and any once the user has trusted
 * exactly this content. Only absolute paths: a repository decides what a relative path resolves to.
 */
export async function grantsFor(
  layers: readonly SettingsLayer[],
  trust: ProjectTrust | undefined,
  { configHome, ...places }: Omit<GrantStore, 'configHome'> & { readonly configHome: string | undefined },
): Promise<(directory: string) => boolean> {
  const asks = layers.some(
    ({ source, settings }) => source === 'local' && settings.permissions?.additionalDirectories !== undefined,
  );
  if (!asks) return () => false;
  if (trust?.state === 'trusted') return isAbsolute;
  if (configHome === undefined) return () => false;
  const store = { configHome, ...places };
  const granted = (await read(store))[await realRoot(store)] ?? [];
  return (directory) => isAbsolute(directory) && granted.includes(directory);
}

/** Records the folders that these updates add to local settings, and removes those that they remove. */
export async function recordGrants(
  updates: readonly PermissionUpdate[],
  store: GrantStore & { readonly files: PersistentFiles },
): Promise<void> {
  const changes = updates.flatMap((update) =>
    update.destination === 'localSettings' &&
    (update.type === 'addDirectories' || update.type === 'removeDirectories')
      ? [update]
      : [],
  );
  if (changes.length === 0) return;
  const root = await realRoot(store);
  const all = await read(store);
  const granted = new Set(all[root] ?? []);
  for (const { type, directories } of changes)
    for (const path of directories) type === 'addDirectories' ? granted.add(path) : granted.delete(path);
  const { [root]: _, ...others } = all;
  const projects = granted.size === 0 ? others : { ...others, [root]: [...granted] };
  const file = join(store.configHome, FILE);
  await store.files.makeDir(dirname(file), 0o700);
  await store.files.writeAtomic(file, `${JSON.stringify({ version: 1, projects }, null, 2)}\n`, {
    mode: 0o600,
  });
}

async function read({ configHome, files }: GrantStore): Promise<Readonly<Record<string, readonly string[]>>> {
  const file = join(configHome, FILE);
  const text = await readIfPresent(file, files);
  if (text === undefined) return {};
  const held = parseSettingsJson(text, file);
  const projects = isRecord(held) ? held['projects'] : undefined;
  if (!isRecord(projects))
    throw invalidSettings(file, 'it holds no list of projects. Remove it to start anew.');
  return Object.fromEntries(
    Object.entries(projects).map(([root, paths]) => [
      root,
      Array.isArray(paths) ? paths.filter((path) => typeof path === 'string') : [],
    ]),
  );
}

const realRoot = ({ projectRoot, files }: GrantStore): Promise<string> => resolveLinks(files, projectRoot);
