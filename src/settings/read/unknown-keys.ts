/** Keys of settings that have no effect, so that misspelled ones cause a warning. */
import type { SandboxSettings } from '../resolve/sandbox-settings.ts';
import type { SettingsLayer, UnknownKey } from '../settings.ts';

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

/** One letter changed, added, left out or swapped; two in a long word with the same first letter. */
function isSlip(word: string, name: string): boolean {
  const slips = distance(word.toLowerCase(), name.toLowerCase());
  return slips <= 1 || (slips === 2 && name.length > 5 && word[0] === name[0]);
}

/** Edit distance in which two neighbours that change places count as one. */
function distance(a: string, b: string): number {
  const rows: number[][] = [Array.from({ length: b.length + 1 }, (_, j) => j)];
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = at(rows, i - 1, j - 1) + (a[i - 1] === b[j - 1] ? 0 : 1);
      const swap =
        i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]
          ? at(rows, i - 2, j - 2) + 1
          : Number.POSITIVE_INFINITY;
      row.push(Math.min(at(rows, i - 1, j) + 1, (row[j - 1] ?? 0) + 1, change, swap));
    }
    rows.push(row);
  }
  return at(rows, a.length, b.length);
}

function at(rows: readonly (readonly number[])[], i: number, j: number): number {
  return rows[i]?.[j] ?? 0;
}
