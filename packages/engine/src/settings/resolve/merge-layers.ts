import { isRecord } from '@turnwright/base/json-values.ts';
import { isRepositoryLayer, type Settings, type SettingsLayer } from '../settings-keys.ts';

/**
 * Merges all layers: later layers override earlier ones key by key; records are merged by their keys.
 * Permissions and hooks are left out, because rules and hooks keep their source.
 */
export function layLayers(layers: readonly SettingsLayer[]): Settings {
  const laid: Record<string, unknown> = {};
  for (const { settings } of layers) {
    for (const [key, value] of Object.entries(settings)) {
      if (value === undefined || key === 'permissions' || key === 'hooks') continue;
      const below = laid[key];
      if (key === 'verify')
        laid[key] = bothConditions(below as Settings['verify'], value as NonNullable<Settings['verify']>);
      else if (isRecord(value) && isRecord(below)) laid[key] = { ...below, ...value };
      else if (key === 'childEnvAllow' && Array.isArray(below) && Array.isArray(value))
        laid[key] = [...below, ...value];
      else laid[key] = value;
    }
  }
  return laid;
}

/** Completion conditions of all files hold: none takes away those of another one. */
function bothConditions(
  below: Settings['verify'] = {},
  more: NonNullable<Settings['verify']>,
): NonNullable<Settings['verify']> {
  const { judge = below.judge, attempts = below.attempts } = more;
  return {
    commands: [...(below.commands ?? []), ...(more.commands ?? [])],
    exist: [...(below.exist ?? []), ...(more.exist ?? [])],
    unchanged: [...(below.unchanged ?? []), ...(more.unchanged ?? [])],
    schemas: [...(below.schemas ?? []), ...(more.schemas ?? [])],
    ...(judge !== undefined && { judge }),
    ...(attempts !== undefined && { attempts }),
  };
}

/** Variables that the user's own settings add to the environment of this run. */
export function userVariables(layers: readonly SettingsLayer[]): Readonly<Record<string, string>> {
  return Object.assign(
    {},
    ...layers.filter((layer) => !isRepositoryLayer(layer)).map(({ settings }) => settings.env),
  );
}
