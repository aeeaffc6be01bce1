/** The keys of settings, for programs that show and change them. */
import type { SettingKey } from '../../settings/read/describe-keys.ts';

export type { SettingKey };

/** In the order of the schema, which is loaded for it. */
export async function listSettingKeys(): Promise<readonly SettingKey[]> {
  return (await import('../../settings/read/describe-keys.ts')).describeKeys();
}
