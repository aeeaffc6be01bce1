import type { Settings, SettingsLayer } from '../settings.ts';
import { demandsOf } from './sandbox-settings.ts';

/** What can only make a run do less: it holds from anywhere, asked for or not. */
export function restrictionsOf({
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
    ...(sandbox !== undefined && { sandbox: demandsOf(sandbox) }),
  };
}

/** What only a policy may say: it would take from the user what is theirs. */
const POLICY_KEYS = [
  'allowManagedPermissionRulesOnly',
  'allowManagedHooksOnly',
  'allowManagedMcpServersOnly',
] as const satisfies readonly (keyof Settings)[];

/**
 * Managed settings restrict and no more. Those of the machine are its administrator's, so their allow rules
 * hold and their hooks run; a program that starts us speaks for itself, and could allow the same by an
 * option.
 */
export function policyOf(settings: Settings, from: 'machine' | 'parent'): Settings {
  const {
    allowedMcpServers,
    disableAllHooks,
    allowedHttpHookUrls,
    httpHookAllowedEnvVars,
    permissions,
    sandbox,
  } = settings;
  const restrictions = restrictionsOf(settings);
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

/** Without what only managed settings may say, in all other layers. */
export function withoutPolicyKeys(layer: SettingsLayer): SettingsLayer {
  if (layer.source === 'managed' || !POLICY_KEYS.some((key) => layer.settings[key] !== undefined))
    return layer;
  const kept: Record<string, unknown> = { ...layer.settings };
  for (const key of POLICY_KEYS) delete kept[key];
  return { ...layer, settings: kept };
}
