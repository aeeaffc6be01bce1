import { join } from 'node:path';
import { isInside } from '@turnwright/base/files/inside.ts';
import { sha256 } from '@turnwright/base/ids/hash-and-uuid.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import { errorText } from '@turnwright/base/text/error-text.ts';
import type { SettingSource } from '../../options/option-values.ts';
import { TurnwrightError } from '../../protocol/errors.ts';
import type { Settings, SettingsLayer } from '../settings-keys.ts';
import { invalidSettings, parseSettings, parseSettingsJson } from './parse-settings.ts';
import { unknownKeys } from './unknown-keys.ts';

interface SettingsPlaces {
  readonly sources: readonly SettingSource[];
  readonly configHome: string | undefined;
  /** Where project and local settings are looked for. */
  readonly projectRoot: string;
  /** The folder that must really contain project and local settings. */
  readonly repositoryRoot: string;
  readonly files: Pick<PersistentFiles, 'readFile' | 'realpath'>;
}

/**
 * The layers, weakest first. Only named sources are read (F127). Throws `invalid_settings` for a file of the
 * user that cannot be used; one of a repository says so in its layer.
 */
export async function readSettings({
  sources,
  configHome,
  projectRoot,
  repositoryRoot,
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
    places.map(([source, file]) =>
      source === 'user'
        ? readLayer(source, file, files)
        : repositoryLayer(source, file, repositoryRoot, files),
    ),
  );
  return layers.flat();
}

async function readLayer(
  source: SettingSource,
  file: string,
  files: Pick<PersistentFiles, 'readFile'>,
): Promise<readonly SettingsLayer[]> {
  const text = await readIfPresent(file, files);
  if (text === undefined) return [];
  const raw = parseSettingsJson(text, file);
  const { usableSettings } = await import('./usable-settings.ts');
  const usable = usableSettings(raw, file);
  const unknown = await unknownKeys(raw);
  return [{ source, file, ...usable, raw: raw as Readonly<Record<string, unknown>>, unknown }];
}

/** Whether an unusable file ends the start depends on trust, which is not known here. */
async function repositoryLayer(
  source: SettingSource,
  file: string,
  repositoryRoot: string,
  files: Pick<PersistentFiles, 'readFile' | 'realpath'>,
): Promise<readonly SettingsLayer[]> {
  try {
    if (await leadsOut(file, repositoryRoot, files))
      throw invalidSettings(
        file,
        `it is a link that leads out of ${repositoryRoot}. Put a copy in its place, or leave the ${source} settings out.`,
      );
    return await readLayer(source, file, files);
  } catch (error) {
    if (!(error instanceof TurnwrightError)) throw error;
    const content = await files.readFile(file).catch(() => error.message);
    return [{ source, file, settings: {}, unusable: { error, hash: sha256(content) } }];
  }
}

/**
 * Whether a file of a repository is a link out of it. A link that cannot be resolved counts as inside:
 * reading it fails.
 */
export async function leadsOut(
  file: string,
  root: string,
  files: Pick<PersistentFiles, 'realpath'>,
): Promise<boolean> {
  const [real, inside] = await Promise.all(
    [file, root].map((path) => files.realpath(path).catch(() => undefined)),
  );
  return real !== undefined && inside !== undefined && !isInside(real, inside);
}

/** The `settings` option: an object, JSON, or the path of a file, which must exist. */
export async function readFlagSettings(
  given: string | Settings | undefined,
  files: Pick<PersistentFiles, 'readFile'>,
  resolvePath: (path: string) => string,
): Promise<readonly SettingsLayer[]> {
  return (await readInline(given, 'the settings option', files, resolvePath)).map((read) => ({
    source: 'flag',
    ...read,
  }));
}

/** An object, JSON, or the path of a file, which must exist. `name`: what to call the first two in errors. */
export async function readInline(
  given: string | Settings | undefined,
  name: string,
  files: Pick<PersistentFiles, 'readFile'>,
  resolvePath: (path: string) => string,
): Promise<readonly Omit<SettingsLayer, 'source'>[]> {
  if (given === undefined) return [];
  const layer = async (value: unknown, from: string) => [
    { file: from, settings: await parseSettings(value, from), unknown: await unknownKeys(value) },
  ];
  if (typeof given !== 'string') return layer(given, name);
  if (given.trimStart().startsWith('{')) return layer(parseSettingsJson(given, name), name);
  const file = resolvePath(given);
  const text = await readIfPresent(file, files);
  if (text === undefined) throw invalidSettings(file, 'the file does not exist.');
  return layer(parseSettingsJson(text, file), file);
}

export async function readIfPresent(
  file: string,
  files: Pick<PersistentFiles, 'readFile'> & Partial<Pick<PersistentFiles, 'stat'>>,
): Promise<string | undefined> {
  try {
    const text = new TextDecoder().decode(await files.readFile(file));
    // A pipe whose writer has not begun reads as empty, and is no blank file.
    if (text.trim() === '' && (await files.stat?.(file))?.kind === 'other')
      throw new Error('it is a pipe or a device, and nothing came from it');
    return text;
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? cause.code : undefined;
    // ENXIO: a socket, which blocks the path while commands of another session run in a sandbox.
    if (code === 'ENOENT' || code === 'ENOTDIR' || code === 'ENXIO') return undefined;
    throw invalidSettings(file, `it cannot be read: ${errorText(cause)}`, cause);
  }
}
