import type { SettingsLayer } from '../settings-keys.ts';
import type { ProjectServerPolicy } from './resolution.ts';
import type { McpServerPolicy } from './resolved-options.ts';

/** What settings forbid beyond permissions. */
export interface ResolvedPolicy {
  readonly mcpServers: McpServerPolicy;
  readonly projectServers: ProjectServerPolicy;
  readonly mcpToolChanges: 'ask' | 'accept' | undefined;
}

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
    projectServers: projectServers(layers),
    mcpToolChanges: layers.findLast(({ settings }) => settings.mcpToolChanges !== undefined)?.settings
      .mcpToolChanges,
  };
}

/** Naming some means those alone, unless all are enabled. A layer that disables one is heeded in any case. */
function projectServers(layers: readonly SettingsLayer[]): ProjectServerPolicy {
  const said = layers.map(({ settings }) => settings);
  const named = said.flatMap(({ enabledMcpjsonServers }) => enabledMcpjsonServers ?? []);
  const all = said.findLast(
    (each) => each.enableAllProjectMcpServers !== undefined,
  )?.enableAllProjectMcpServers;
  const isNamed = said.some(({ enabledMcpjsonServers }) => enabledMcpjsonServers !== undefined);
  return {
    enabled: all === true || (all === undefined && !isNamed) ? undefined : named,
    disabled: said.flatMap(({ disabledMcpjsonServers }) => disabledMcpjsonServers ?? []),
  };
}
