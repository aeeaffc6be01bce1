/** The options as the engine takes them, from what the resolver has read. */

import { absolutePath } from '@turnwright/base/files/home-path.ts';
import type { BaseOptions } from '../../options/options.ts';
import {
  ENGINE_OPTIONS,
  type EngineOption,
  OPTIONS,
  type OptionName,
  type OptionRow,
} from '../../options/table.ts';
import type { ThinkingConfig } from '../../protocol/model/wire.ts';
import type { EnvironmentValues } from '../read/read-environment.ts';
import type { Settings, SettingsLayer } from '../settings-keys.ts';
import { childEnvironment } from './child-env.ts';
import type { Resolution } from './resolution.ts';
import type { ResolvedPolicy } from './resolve-policy.ts';

type Config = Resolution['config'];

interface Sources {
  readonly options: BaseOptions;
  /** The environment of the session, and what it says. */
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly environment: EnvironmentValues;
  readonly layers: readonly SettingsLayer[];
  /** All layers laid over each other. */
  readonly settings: Settings;
  readonly homeDirectory: string | undefined;
  /** What is resolved already. */
  readonly places: Pick<Config, 'cwd' | 'home' | 'projectRoot' | 'projectTrusted' | 'settingSources'>;
  readonly connection: Pick<
    Config,
    | 'apiKey'
    | 'apiKeySource'
    | 'authToken'
    | 'baseUrl'
    | 'ca'
    | 'headers'
    | 'noProxy'
    | 'credentialCommands'
    | 'credentialTtlMs'
    | 'provider'
    | 'providerEnv'
    | 'isProviderMissing'
    | 'providerLockedBy'
    | 'providers'
    | 'proxies'
    | 'proxyUrl'
  >;
  readonly permissions: Pick<
    Config,
    | 'additionalDirectories'
    | 'allowDangerouslySkipPermissions'
    | 'autoMode'
    | 'directorySources'
    | 'permissionLocks'
    | 'permissionMode'
    | 'permissionRules'
  >;
  readonly hooks: Pick<Config, 'configuredHooks' | 'hookPolicy'>;
  readonly policy: ResolvedPolicy;
}

/** Options beat the environment, which beats settings. */
export function resolveOptions(sources: Sources): Config {
  const { options, env, environment, settings, places, homeDirectory } = sources;
  const { options: given } = environment;
  const chosen = chooser(options, given, settings);
  const resolved = {
    mcpServerPolicy: sources.policy.mcpServers,
    mcpToolChanges: sources.policy.mcpToolChanges,
    env: { ...env, ...environment.modelAliases },
    childEnv: childEnvironment(env, { allow: settings.childEnvAllow, set: settings.env }),

    model: chosen('model'),
    fallbackModel: modelList(options.fallbackModel ?? settings.fallbackModel),
    ...modelSettings(settings),
    thinking:
      options.thinking ?? pickThinking(options.maxThinkingTokens ?? given.maxThinkingTokens, settings),
    effort: chosen('effort'),
    verify: chosen('verify'),
    autoMode: sources.permissions.autoMode,
    betas: mergeBetas(options, given),
    extraBody: environment.extraBody,
    promptCaching: !environment.promptCachingOff,
    promptCacheTtl: environment.promptCacheTtl ?? settings.promptCacheTtl,
    fastMode: environment.fastModeOff ? 'disabled_by_env' : chosen('fastMode'),
    persistentRetry: chosen('persistentRetry'),
    maxRetries: environment.maxRetries,
    unreachedRetries: environment.unreachedRetries,
    timeouts: defined({
      headersMs: environment.headersTimeoutMs,
      firstByteMs: environment.firstByteTimeoutMs,
    }),
    maxOutputTokens: environment.maxOutputTokens,
    compaction: {
      auto: !environment.autoCompactOff && (settings.autoCompactEnabled ?? true),
      window: environment.autoCompactWindow ?? settings.autoCompactWindow,
    },

    stopHookBlockCap: environment.stopHookBlockCap,
    mcpTimeouts: { startMs: environment.mcpStartTimeoutMs, callMs: environment.mcpToolTimeoutMs },
    mcpAwaited: environment.mcpNotAwaited ? 'call' : 'all',
    toolConfig: options.toolConfig ?? environment.toolConfig,
    webFetch: { privateHosts: settings.webFetchPrivateHosts ?? [] },
    plansDirectory:
      settings.plansDirectory &&
      absolutePath(settings.plansDirectory, { cwd: places.projectRoot, home: homeDirectory }),
    backgroundTasks: !environment.backgroundTasksOff,
    idleNotificationMs: environment.idleNotificationMs,
    sessionState: environment.sessionState,
    enableFileCheckpointing: chosen('enableFileCheckpointing'),
    durability: settings.durability ?? 'process',
    memoryFiles: {
      excludes: sources.layers.flatMap((layer) => layer.settings.claudeMdExcludes ?? []),
      imports: settings.memoryImports ?? 'project',
    },
    memoryPath:
      environment.memoryPath &&
      absolutePath(environment.memoryPath, { cwd: places.cwd, home: homeDirectory }),
    relevantMemory: settings.relevantMemory,
    toolUseSummaries: settings.toolUseSummaries,
    promptSuggestions: options.promptSuggestions === true && !environment.promptSuggestionsOff,
    agentProgressSummaries: options.agentProgressSummaries === true && !environment.agentSummariesOff,
  } satisfies Partial<Config>;
  const { connection, hooks, permissions } = sources;
  return Object.assign(engineOptions(options), places, connection, permissions, hooks, resolved);
}

/** Those that need no resolving, and the others as far as nothing is resolved to them. */
function engineOptions(options: BaseOptions): Pick<BaseOptions, EngineOption> {
  const given: Partial<Record<EngineOption, unknown>> = {};
  for (const name of ENGINE_OPTIONS) if (options[name] !== undefined) given[name] = options[name];
  return given as Pick<BaseOptions, EngineOption>;
}

/** The options whose settings key holds a value of the same type. */
type SettingOption = {
  [Name in keyof BaseOptions & OptionName]: (typeof OPTIONS)[Name] extends {
    readonly setting: infer Key extends keyof Settings;
  }
    ? Settings[Key] extends BaseOptions[Name]
      ? Name
      : never
    : never;
}[keyof BaseOptions & OptionName];

/** The option, else its variable, else its settings key, else its default. */
const chooser =
  (options: BaseOptions, environment: BaseOptions, settings: Settings) =>
  <Name extends SettingOption>(name: Name): BaseOptions[Name] => {
    const { setting, default: byDefault }: OptionRow = OPTIONS[name];
    const inSettings = settings[setting as keyof Settings] as BaseOptions[Name];
    return options[name] ?? environment[name] ?? inSettings ?? (byDefault as BaseOptions[Name]);
  };

function modelList(given: string | readonly string[] | undefined): string | undefined {
  const names = typeof given === 'string' ? given.split(',') : (given ?? []);
  const listed = new Set(names.map((name) => name.trim()).filter((name) => name !== ''));
  return listed.size === 0 ? undefined : [...listed].join(',');
}

/** Those of both add up. */
function mergeBetas(options: BaseOptions, environment: BaseOptions): readonly string[] | undefined {
  const betas = new Set([...(options.betas ?? []), ...(environment.betas ?? [])]);
  return betas.size === 0 ? undefined : [...betas];
}

/** A budget of 0 switches thinking off. */
function pickThinking(
  budgetTokens: number | undefined,
  { alwaysThinkingEnabled }: Settings,
): ThinkingConfig | undefined {
  if (budgetTokens === undefined) return alwaysThinkingEnabled === false ? { type: 'disabled' } : undefined;
  return budgetTokens === 0 ? { type: 'disabled' } : { type: 'enabled', budgetTokens };
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function defined<T extends object>(values: T): Defined<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Defined<T>;
}

/** What the settings say of single models: facts about them, and how long they may be silent. */
function modelSettings({ models = {} }: Settings): Pick<Config, 'modelOverrides' | 'modelTimeouts'> {
  const modelOverrides: Record<string, object> = {};
  const modelTimeouts: Record<string, Readonly<Record<string, number>>> = {};
  for (const [model, { firstByteTimeoutMs, idleTimeoutMs, ...facts }] of Object.entries(models)) {
    modelOverrides[model] = defined(facts);
    modelTimeouts[model] = defined({ firstByteMs: firstByteTimeoutMs, idleMs: idleTimeoutMs });
  }
  return { modelOverrides, modelTimeouts };
}
