/** Hooks of all layers, weakest first, each with where it came from; and what may run at all. */
import { HOOK_EVENTS } from '../../protocol/tools/hook.ts';
import type { ConfiguredHook, HookConfig, HookPolicy, HookSource } from '../../protocol/tools/hook-config.ts';
import { invalidSettings, parseSettings } from '../read/parse-settings.ts';
import type { Settings, SettingsLayer } from '../settings-keys.ts';

const SOURCES: Readonly<Record<SettingsLayer['source'], HookSource>> = {
  user: 'userSettings',
  project: 'projectSettings',
  local: 'localSettings',
  flag: 'flagSettings',
  managed: 'policySettings',
};

/**
 * A hook that cannot be read, and an event that this engine does not have, are passed over and named.
 * Throws `invalid_settings` for one that was given by hand.
 */
export async function resolveHooks(
  layers: readonly SettingsLayer[],
  laid: Settings,
  warn: (warning: string) => void,
): Promise<{ readonly configuredHooks: readonly ConfiguredHook[]; readonly hookPolicy: HookPolicy }> {
  const hookPolicy = readPolicy(layers, laid);
  const configuredHooks: ConfiguredHook[] = [];
  for (const layer of layers) {
    const disabled = switchedOff(layer, hookPolicy);
    for (const hook of await readHooks(layer, warn))
      configuredHooks.push(disabled ? { ...hook, disabled } : hook);
  }
  return { configuredHooks, hookPolicy };
}

/** What a plugin brings along, in the form of a settings file. Throws `invalid_settings` like settings do. */
export async function hooksOfPlugin(
  plugin: { readonly name: string; readonly root: string; readonly hooks: Readonly<Record<string, unknown>> },
  policy: HookPolicy,
  warn: (warning: string) => void,
): Promise<readonly ConfiguredHook[]> {
  const { name: pluginName, root: pluginRoot, hooks } = plugin;
  if (Object.keys(hooks).length === 0) return [];
  const file = `the plugin ${pluginName}`;
  const found = await readHooks(
    { file, source: 'flag', settings: await parseSettings({ hooks }, file) },
    warn,
  );
  const disabled = policy.allDisabled || policy.managedOnly;
  return found.map((hook) => ({
    ...hook,
    source: 'pluginHook',
    pluginName,
    pluginRoot,
    ...(disabled && { disabled: true as const }),
  }));
}

/** What an agent brings along, in the form of a settings file. Throws `invalid_settings` like settings do. */
export async function hooksOfAgent(
  {
    hooks = {},
    place,
    hookSource: source,
  }: {
    readonly hooks?: Readonly<Record<string, unknown>> | undefined;
    readonly place: string;
    readonly hookSource: HookSource;
  },
  policy: HookPolicy | undefined,
  warn: (warning: string) => void,
): Promise<readonly ConfiguredHook[]> {
  const settings = await parseSettings({ hooks }, place);
  const found = await readHooks({ file: place, source: 'flag', settings }, warn);
  const disabled = policy?.allDisabled === true || policy?.managedOnly === true;
  return found.map((hook) => ({ ...hook, source, ...(disabled && { disabled: true as const }) }));
}

function readPolicy(layers: readonly SettingsLayer[], laid: Settings): HookPolicy {
  const managed = layers.filter(({ source }) => source === 'managed');
  return {
    allDisabled: layers.some(({ settings }) => settings.disableAllHooks === true),
    disabledByPolicy: managed.some(({ settings }) => settings.disableAllHooks === true),
    managedOnly: managed.some(({ settings }) => settings.allowManagedHooksOnly === true),
    allowedHttpUrls: laid.allowedHttpHookUrls,
    httpAllowedEnvVars: laid.httpHookAllowedEnvVars,
  };
}

/** What the user switches off, the managed hooks are not. */
function switchedOff({ source }: SettingsLayer, policy: HookPolicy): true | undefined {
  const off = source === 'managed' ? policy.disabledByPolicy : policy.allDisabled || policy.managedOnly;
  return off ? true : undefined;
}

async function readHooks(
  { file, source, settings }: SettingsLayer,
  warn: (warning: string) => void,
): Promise<readonly ConfiguredHook[]> {
  const found: ConfiguredHook[] = [];
  for (const [name, groups] of Object.entries(settings.hooks ?? {})) {
    const event = HOOK_EVENTS.find((known) => known === name);
    if (event === undefined) {
      warn(`${file}: hooks.${name} was passed over: there is no such event.`);
      continue;
    }
    for (const [i, { matcher, hooks }] of groups.entries()) {
      for (const [j, hook] of hooks.entries()) {
        const at = `hooks.${name}.${i}.hooks.${j}`;
        const config = await readHook(hook, { file, at, isGiven: source === 'flag', warn });
        if (config === undefined) continue;
        found.push({
          event,
          config,
          source: SOURCES[source],
          place: `${file} (${at})`,
          ...(matcher !== null && matcher !== undefined && { matcher }),
        });
      }
    }
  }
  return found;
}

interface HookPlace {
  readonly file: string;
  /** Its path in the file. */
  readonly at: string;
  /** By hand, for this run: a mistake in it is an error. */
  readonly isGiven: boolean;
  readonly warn: (warning: string) => void;
}

/** Fields without which a hook still guards, and more strictly. */
const DISPENSABLE: readonly unknown[] = [
  'if',
  'timeout',
  'onFailure',
  'statusMessage',
  'once',
  'async',
  'asyncRewake',
  'continueOnBlock',
];

/** undefined: it does not run. A bad value of a field that only limits it costs that field alone. */
async function readHook(
  hook: Readonly<Record<string, unknown>>,
  { file, at, isGiven, warn }: HookPlace,
): Promise<HookConfig | undefined> {
  const { hookSchema } = await import('../read/hook-schema.ts');
  const parsed = hookSchema.safeParse(hook);
  if (parsed.success) return parsed.data;
  const problems = parsed.error.issues
    .map(({ path, message }) => `${[at, ...path].join('.')}: ${message}`)
    .join('; ');
  if (isGiven) throw invalidSettings(file, problems);
  const bad = new Set<unknown>(parsed.error.issues.map(({ path }) => path[0]));
  const kept = Object.fromEntries(Object.entries(hook).filter(([key]) => !bad.has(key)));
  const repaired = [...bad].every((key) => DISPENSABLE.includes(key))
    ? hookSchema.safeParse(kept).data
    : undefined;
  const what = repaired === undefined ? 'a hook does not run' : 'a hook runs without what cannot be read';
  warn(`${file}: ${what}: ${problems}.`);
  return repaired;
}
