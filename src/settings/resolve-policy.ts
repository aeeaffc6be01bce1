import type { ResolvedPolicy } from './resolved-config.ts';
import type { SettingsLayer } from './settings.ts';

/** What the layers forbid beyond permissions. Restrictions add up. */
export function resolvePolicy(layers: readonly SettingsLayer[]): ResolvedPolicy {
  const managed = layers.filter(({ source }) => source === 'managed');
  const managedServersOnly = managed.some(({ settings }) => settings.allowManagedMcpServersOnly === true);
  return {
    mcpServers: {
      allowed: (managedServersOnly ? managed : layers).flatMap(({ settings: { allowedMcpServers } }) =>
        allowedMcpServers === undefined ? [] : [allowedMcpServers],
      ),
      denied: layers.flatMap(({ settings }) => settings.deniedMcpServers ?? []),
    },
  };
}
