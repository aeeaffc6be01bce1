import type { Settings, SettingsLayer } from '../settings-keys.ts';
import { pickDemands } from './sandbox-settings.ts';

/** Keys that can only restrict a run: they take effect from every source. */
export function pickRestrictions({
  permissions,
  deniedMcpServers,
  disabledMcpjsonServers,
  sandbox,
}: Settings): Settings {
  const { allow: _allow, defaultMode: _mode, additionalDirectories: _folders, ...held } = permissions ?? {};
  return {
    permissions: held,
    ...(deniedMcpServers !== undefined && { deniedMcpServers }),
    ...(disabledMcpjsonServers !== undefined && { disabledMcpjsonServers }),
    ...(sandbox !== undefined && { sandbox: pickDemands(sandbox) }),
  };
}

/** Keys that only managed settings may set, because they override the user's decisions. */
const POLICY_KEYS = [
  'allowManagedPermissionRulesOnly',
  'allowManagedHooksOnly',
  'allowManagedMcpServersOnly',
] as const satisfies readonly (keyof Settings)[];

/**
 * Managed settings can only restrict. Those of the machine come from its administrator, so their allow rules
 * take effect and their hooks run. A program that starts Turnwright could allow the same with an option.
 */
export function pickPolicy(settings: Settings, from: 'machine' | 'parent'): Settings {
  const {
    allowedMcpServers,
    disableAllHooks,
    allowedHttpHookUrls,
    httpHookAllowedEnvVars,
    permissions,
    sandbox,
  } = settings;
  const restrictions = pickRestrictions(settings);
  return {
    ...restrictions,
    ...(sandbox?.enabled === true && { sandbox }),
    ...Object.fromEntries(POLICY_KEYS.map((key) => [key, settings[key]])),
    allowedMcpServers,
    disableAllHooks,
    allowedHttpHookUrls,
    httpHookAllowedEnvVars,
    ...(from === 'machine' && { hooks: settings.hooks }),
    permissions: {
      ...restrictions.permissions,
      ...(from === 'machine' && permissions?.allow !== undefined && { allow: permissions.allow }),
    },
  };
}

/** All other layers without the keys that only managed settings may set. */
export function withoutPolicyKeys(layer: SettingsLayer): SettingsLayer {
  if (layer.source === 'managed' || !POLICY_KEYS.some((key) => layer.settings[key] !== undefined))
    return layer;
  const kept: Record<string, unknown> = { ...layer.settings };
  for (const key of POLICY_KEYS) delete kept[key];
  return { ...layer, settings: kept };
}
