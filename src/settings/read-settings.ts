import { join } from 'node:path';
import type { PersistentFiles } from '../protocol/files.ts';
import { invalidSettings, parseSettings, parseSettingsJson } from './parse-settings.ts';
import type { SettingSource, Settings, SettingsLayer } from './settings.ts';

export interface SettingsPlaces {
  readonly sources: readonly SettingSource[];
  readonly configHome: string | undefined;
  /** Where project and local settings are looked for. */
  readonly projectRoot: string;
  readonly files: Pick<PersistentFiles, 'readFile'>;
}

/** The layers in the order in which they are laid, weakest first. Only named sources are read (F127). */
export async function readSettings({
  sources,
  configHome,
  projectRoot,
  files,
}: SettingsPlaces): Promise<readonly SettingsLayer[]> {
  const places: [SettingSource, string][] = [];
  if (sources.includes('user') && configHome !== undefined)
    places.push(['user', join(configHome, 'settings.json')]);
  for (const [source, name] of [
    ['project', 'settings.json'],
    ['local', 'settings.local.json'],
  ] as const) {
    if (!sources.includes(source)) continue;
    for (const folder of ['.claude', '.turnwright']) places.push([source, join(projectRoot, folder, name)]);
  }
  const layers = await Promise.all(
    places.map(async ([source, file]): Promise<SettingsLayer[]> => {
      const text = await readIfPresent(file, files);
      if (text === undefined) return [];
      return [{ source, file, settings: await parseSettings(parseSettingsJson(text, file), file) }];
    }),
  );
  return layers.flat();
}

/** The `settings` option: an object, JSON, or the path of a file, which must exist. */
export async function readFlagSettings(
  given: string | Settings | undefined,
  files: Pick<PersistentFiles, 'readFile'>,
  resolvePath: (path: string) => string,
): Promise<readonly SettingsLayer[]> {
  if (given === undefined) return [];
  const layer = async (value: unknown, file: string): Promise<readonly SettingsLayer[]> => [
    { source: 'flag', file, settings: await parseSettings(value, file) },
  ];
  if (typeof given !== 'string') return layer(given, 'the settings option');
  if (given.trimStart().startsWith('{'))
    return layer(parseSettingsJson(given, 'the settings option'), 'the settings option');
  const file = resolvePath(given);
  const text = await readIfPresent(file, files);
  if (text === undefined) throw invalidSettings(file, 'the file does not exist.');
  return layer(parseSettingsJson(text, file), file);
}

async function readIfPresent(
  file: string,
  files: Pick<PersistentFiles, 'readFile'>,
): Promise<string | undefined> {
  try {
    return new TextDecoder().decode(await files.readFile(file));
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw invalidSettings(
      file,
      `it cannot be read: ${cause instanceof Error ? cause.message : String(cause)}`,
      cause,
    );
  }
}
