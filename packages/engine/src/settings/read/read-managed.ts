import { dirname } from 'node:path';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { pickPolicy } from '../resolve/restrictions.ts';
import type { Settings, SettingsLayer } from '../settings-keys.ts';
import { parseSettingsJson } from './parse-settings.ts';
import { readIfPresent, readInline } from './read-settings.ts';

interface ManagedPlaces {
  /** From the calling program: an object, JSON, or the path of a file. */
  readonly given: string | Settings | undefined;
  /** The machine's own file; undefined: none is looked for. */
  readonly machineFile: string | undefined;
  readonly files: Pick<PersistentFiles, 'readFile' | 'stat'>;
  readonly resolvePath: (path: string) => string;
  readonly warn: (warning: string) => void;
}

/** Folder of an administrator's settings for every user. */
export function machineSettingsFile(platform: NodeJS.Platform): string {
  switch (platform) {
    case 'darwin':
      return '/Library/Application Support/Turnwright/managed-settings.json';
    case 'win32':
      return 'C:\\Program Files\\Turnwright\\managed-settings.json';
    default:
      return '/etc/turnwright/managed-settings.json';
  }
}

/**
 * The policy, above all other settings. Throws `invalid_settings`: a policy that cannot be read stops the
 * run.
 */
export async function readManaged(places: ManagedPlaces): Promise<readonly SettingsLayer[]> {
  const { given, machineFile, files, resolvePath } = places;
  const layers: SettingsLayer[] = [];
  for (const { file, settings } of await readInline(given, 'the managedSettings option', files, resolvePath))
    layers.push({ source: 'managed', file, settings: pickPolicy(settings, 'parent') });
  const text = machineFile === undefined ? undefined : await readIfPresent(machineFile, files);
  if (machineFile !== undefined && text !== undefined && (await isAdministrators(machineFile, places))) {
    const { usableSettings } = await import('./usable-settings.ts');
    const { settings, skipped } = usableSettings(parseSettingsJson(text, machineFile), machineFile);
    layers.push({ source: 'managed', file: machineFile, settings: pickPolicy(settings, 'machine'), skipped });
  }
  return layers;
}

/** A file that any user may write is not a policy (T110). Windows protects its program folder itself. */
async function isAdministrators(
  file: string,
  { files, warn }: Pick<ManagedPlaces, 'files' | 'warn'>,
): Promise<boolean> {
  if (process.platform === 'win32') return true;
  for (const path of [file, dirname(file)]) {
    const stat = await files.stat(path);
    if (stat !== undefined && (stat.mode & 0o022) === 0 && (stat.uid ?? 0) === 0) continue;
    warn(`${file} was ignored: ${path} must belong to root and be writable by no one else.`);
    return false;
  }
  return true;
}
