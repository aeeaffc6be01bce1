/** Keys of settings that have no effect, so that misspelled ones cause a warning. */
import { isSlip } from '@turnwright/base/text/is-slip.ts';
import type { SandboxSettings } from '../resolve/sandbox-settings.ts';
import type { SettingsLayer, UnknownKey } from '../settings-keys.ts';

/** The unknown keys of a value that was checked before, so the schema is loaded. */
export async function unknownKeys(value: unknown): Promise<readonly UnknownKey[]> {
  const { settingsSchema } = await import('./settings-schema.ts');
  const { permissions, sandbox } = settingsSchema.shape;
  const { network, filesystem } = sandbox.unwrap().shape;
  const given = value as { readonly permissions?: unknown; readonly sandbox?: SandboxSettings };
  return [
    ...unknownIn(value, Object.keys(settingsSchema.shape), ''),
    ...unknownIn(given.permissions, Object.keys(permissions.unwrap().shape), 'permissions.'),
    ...unknownIn(given.sandbox, Object.keys(sandbox.unwrap().shape), 'sandbox.'),
    ...unknownIn(given.sandbox?.network, Object.keys(network.unwrap().shape), 'sandbox.network.'),
    ...unknownIn(given.sandbox?.filesystem, Object.keys(filesystem.unwrap().shape), 'sandbox.filesystem.'),
  ];
}

function unknownIn(value: unknown, known: readonly string[], prefix: string): readonly UnknownKey[] {
  if (typeof value !== 'object' || value === null) return [];
  return Object.keys(value)
    .filter((key) => !known.includes(key) && key !== '$schema')
    .map((key) => ({
      key: `${prefix}${key}`,
      meant: known.map((name) => `${prefix}${name}`).find((name) => isSlip(`${prefix}${key}`, name)),
    }));
}

/**
 * A warning for each key that is meant for Turnwright: every unknown key of a file that no other program
 * reads, and in other files those that resemble a known key.
 */
export function unknownKeyWarnings({ file, unknown = [] }: SettingsLayer): readonly string[] {
  const isShared = !/[\\/]/.test(file) || /[\\/]\.claude[\\/]/.test(file);
  return unknown
    .filter(({ meant }) => meant !== undefined || !isShared)
    .map(({ key, meant }) => {
      const hint = meant === undefined ? '' : ` Did you mean ${meant}?`;
      return `${file}: the key ${key} is not known and has no effect.${hint}`;
    });
}
