import { TurnwrightError } from '../protocol/errors.ts';
import type { EffortLevel, ThinkingConfig } from '../protocol/wire.ts';
import type { SandboxSettings } from './resolve/sandbox-settings.ts';
import { toolSearchShare } from './resolve/tool-search-mode.ts';
import {
  type Durability,
  SETTING_SOURCES,
  type SettingSource,
  type Settings,
  type ToolSearchMode,
} from './settings.ts';

/** The options and flags that the resolver reads, under their public names. They beat settings and environment. */
export interface ConfigOptions {
  readonly model?: string | undefined;
  /** Comma-separated, tried in order. */
  readonly fallbackModel?: string | undefined;
  readonly thinking?: ThinkingConfig | undefined;
  readonly maxThinkingTokens?: number | undefined;
  readonly effort?: EffortLevel | undefined;
  readonly betas?: readonly string[] | undefined;
  readonly fastMode?: boolean | undefined;
  readonly persistentRetry?: boolean | undefined;
  readonly sandbox?: SandboxSettings | undefined;
  readonly toolSearch?: ToolSearchMode | undefined;
  readonly apiKey?: string | undefined;
  readonly authToken?: string | undefined;
  readonly baseUrl?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly proxyUrl?: string | undefined;
  readonly noProxy?: string | undefined;
  /** PEM file with further certificate authorities. */
  readonly caFile?: string | undefined;
  readonly permissionMode?: string | undefined;
  readonly allowDangerouslySkipPermissions?: boolean | undefined;
  readonly allowedTools?: readonly string[] | undefined;
  readonly disallowedTools?: readonly string[] | undefined;
  readonly additionalDirectories?: readonly string[] | undefined;
  readonly settings?: string | Settings | undefined;
  /** The policy of the program that starts us: only restrictions pass. */
  readonly managedSettings?: string | Settings | undefined;
  /** The machine's policy, if the file exists. Default none: the command line names it. */
  readonly managedSettingsFile?: string | undefined;
  /** `none`: nobody is asked, what would be is denied. */
  readonly permissionPrompts?: 'host' | 'none' | undefined;
  readonly allowedToolsOnly?: boolean | undefined;
  /** Default none: no settings file is read (F127). */
  readonly settingSources?: readonly SettingSource[] | undefined;
  /** Where project and local settings are looked for. Default the working directory. */
  readonly projectConfigRoot?: string | undefined;
  /**
   * false: project and local settings can only restrict. Default: who names the source agrees to all but what the shared
   * file allows, which takes true, or the user's record.
   */
  readonly projectTrusted?: boolean | undefined;
  /** With `projectTrusted: false`: what the user's record trusts, by its content, is trusted all the same. */
  readonly trustRecorded?: boolean | undefined;
  /** The project's `.mcp.json` is not looked at. */
  readonly strictMcpConfig?: boolean | undefined;
  /** Names or patterns (`NPM_*`) that child processes may see although they look like secrets. */
  readonly childEnvAllow?: readonly string[] | undefined;
  readonly maxTurns?: number | undefined;
  readonly maxBudgetUsd?: number | undefined;
  readonly taskBudget?: { readonly total: number } | undefined;
  readonly tokenBudget?: { readonly target: number } | undefined;
  readonly maxOutputTokens?: number | undefined;
  readonly maxRetries?: number | undefined;
  readonly stopHookBlockCap?: number | undefined;
  readonly autoCompact?: boolean | undefined;
  readonly autoCompactWindow?: number | undefined;
  readonly durability?: Durability | undefined;
  readonly enableFileCheckpointing?: boolean | undefined;
  readonly promptSuggestions?: boolean | undefined;
  readonly agentProgressSummaries?: boolean | undefined;
}

/** Throws `invalid_option` that names the option and what was expected. Types alone do not reach JavaScript callers. */
export function checkOptions(options: ConfigOptions): void {
  for (const name of ['maxTurns', 'maxOutputTokens', 'autoCompactWindow'] as const)
    count(name, options[name], 1);
  for (const name of ['maxRetries', 'stopHookBlockCap', 'maxThinkingTokens'] as const)
    count(name, options[name], 0);
  const { toolSearch } = options;
  if (toolSearch !== undefined && toolSearchShare(toolSearch) === undefined)
    throw invalidOption('toolSearch', 'true, false, "auto" or "auto:" and a percentage', toolSearch);
  count('taskBudget.total', options.taskBudget?.total, 1);
  count('tokenBudget.target', options.tokenBudget?.target, 1);
  const { maxBudgetUsd, settingSources, durability } = options;
  if (maxBudgetUsd !== undefined && !(Number.isFinite(maxBudgetUsd) && maxBudgetUsd > 0)) {
    throw invalidOption('maxBudgetUsd', 'an amount above 0', maxBudgetUsd);
  }
  const stray = settingSources?.find((source) => !SETTING_SOURCES.includes(source));
  if (stray !== undefined)
    throw invalidOption('settingSources', `a list of ${SETTING_SOURCES.join(', ')}`, stray);
  if (durability !== undefined && durability !== 'process' && durability !== 'power') {
    throw invalidOption('durability', '"process" or "power"', durability);
  }
}

export function invalidOption(name: string, expected: string, got: unknown): TurnwrightError {
  return new TurnwrightError('invalid_option', `${name} must be ${expected}, got ${JSON.stringify(got)}.`);
}

function count(name: string, value: number | undefined, least: number): void {
  if (value === undefined || (Number.isSafeInteger(value) && value >= least)) return;
  throw invalidOption(name, `a whole number of at least ${least}`, value);
}
