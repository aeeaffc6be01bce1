/**
 * The part of a settings file that can be used. What would allow or run something and cannot be read is left
 * out and named; what restricts must not be lost, so it is an error (test 109).
 */
import type { Settings } from '../settings-keys.ts';
import { invalidSettings } from './parse-settings.ts';
import { settingsSchema } from './settings-schema.ts';

interface UsableSettings {
  readonly settings: Settings;
  /** What was left out, as `permissions.allow.0 "Bash:*" (expected a rule …)`. */
  readonly skipped: readonly string[];
}

type Path = readonly PropertyKey[];

/** Throws `invalid_settings`, which names every restriction that cannot be read. */
export function usableSettings(value: unknown, file: string): UsableSettings {
  const skipped: string[] = [];
  let held = value;
  while (true) {
    const parsed = settingsSchema.safeParse(held);
    if (parsed.success) return { settings: parsed.data, skipped };
    const found = parsed.error.issues.map(({ path, message }) => ({ message, path, entry: entryAt(path) }));
    const lost = found.filter(({ entry }) => entry === undefined);
    if (lost.length > 0)
      throw invalidSettings(
        file,
        lost.map(({ path, message }) => `${formatPath(path) || 'the whole file'}: ${message}`).join('; '),
      );
    const entries = new Map(found.map((each) => [formatPath(each.entry ?? []), each]));
    for (const [key, { entry = [], message }] of entries)
      skipped.push(`${key}${ruleAt(held, entry)} (${message})`);
    held = without(
      held,
      [...entries.values()].map(({ entry = [] }) => entry),
    );
  }
}

/** Keys that only restrict, or may hide what restricts. */
const RESTRICTING: ReadonlySet<string> = new Set([
  'allowedMcpServers',
  'deniedMcpServers',
  'verify',
  'disabledMcpjsonServers',
  'allowManagedPermissionRulesOnly',
  'allowManagedHooksOnly',
  'allowManagedMcpServersOnly',
  'allowedHttpHookUrls',
  'httpHookAllowedEnvVars',
]);
const GRANTING_PERMISSIONS: ReadonlySet<string> = new Set(['allow', 'defaultMode', 'additionalDirectories']);
/** Of `sandbox`: the ways out of it. */
const GRANTING_SANDBOX: ReadonlySet<string> = new Set([
  'excludedCommands',
  'autoAllowBashIfSandboxed',
  'ignoreViolations',
  'enableWeakerNestedSandbox',
  'allowNestedUserNamespaces',
  'enableWeakerNetworkIsolation',
  'allowAppleEvents',
  'network.allowedDomains',
  'network.allowUnixSockets',
  'network.allowAllUnixSockets',
  'network.allowLocalBinding',
  'network.allowMachLookup',
  'filesystem.allowWrite',
  'filesystem.allowRead',
  'filesystem.disabled',
]);

/** The smallest entry that can be left out without losing a restriction; undefined: there is none. */
function entryAt(path: Path): Path | undefined {
  const [top, second, third] = path.map(String);
  if (top === undefined || RESTRICTING.has(top)) return undefined;
  switch (top) {
    case 'permissions':
      return second !== undefined && GRANTING_PERMISSIONS.has(second) ? path.slice(0, 3) : undefined;
    case 'sandbox':
      if (second === undefined) return undefined;
      if (GRANTING_SANDBOX.has(second)) return path.slice(0, 3);
      return GRANTING_SANDBOX.has(`${second}.${third}`) ? path.slice(0, 4) : undefined;
    case 'hooks':
      // An event, one of its groups, or a hook in a group.
      return path.length >= 5 && path[3] === 'hooks' ? path.slice(0, 5) : path.slice(0, 3);
    default:
      return path.slice(0, 2);
  }
}

/** A rule is quoted; other values may be secrets. */
function ruleAt(value: unknown, entry: Path): string {
  if (entry[0] !== 'permissions' || entry[1] !== 'allow') return '';
  const rule = entry.reduce<unknown>((held, key) => (held as Record<PropertyKey, unknown>)?.[key], value);
  return typeof rule === 'string' ? ` ${JSON.stringify(rule.slice(0, 80))}` : '';
}

function without(value: unknown, entries: readonly Path[]): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const below = (key: string) =>
    entries.filter(([first]) => String(first) === key).map((entry) => entry.slice(1));
  const kept = (key: string, each: unknown): unknown[] => {
    const inside = below(key);
    return inside.some(({ length }) => length === 0) ? [] : [without(each, inside)];
  };
  if (Array.isArray(value)) return value.flatMap((each, at) => kept(String(at), each));
  return Object.fromEntries(
    Object.entries(value).flatMap(([key, each]) => kept(key, each).map((one) => [key, one])),
  );
}

const formatPath = (path: Path): string => path.map(String).join('.');
