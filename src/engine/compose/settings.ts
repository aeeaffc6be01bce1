/** From options, settings files and environment to the engine's configuration, through the one resolver (L1). */
import { resolve } from 'node:path';
import { asksAnthropic } from '../../model/anthropic-api.ts';
import { TurnwrightError } from '../../protocol/errors.ts';
import type { PersistentFiles } from '../../protocol/files.ts';
import type { ConfigOptions } from '../../settings/config-options.ts';
import { resolveConfig } from '../../settings/resolve-config.ts';
import type { ProjectServerPolicy, ResolvedConfig } from '../../settings/resolved-config.ts';
import type { UserServers } from '../../settings/user-servers.ts';
import { skillCommands } from '../../skills/commands.ts';
import { HISTORY_TOOL } from '../../tools/builtin/history.ts';
import { SLEEP_TOOL } from '../../tools/builtin/sleep.ts';
import { TOOL_SEARCH_TOOL } from '../../tools/deferral.ts';
import { systemClock } from '../../util/clock.ts';
import { keyFromHelper } from '../api-key-helper.ts';
import type { QueryEngineConfig } from '../config.ts';
import { unreachableModel } from '../unreachable-model.ts';
import { createBuiltinTools, sessionTools, unknownTools, wantsAgents } from './builtin-tools.ts';
import { commandFileSources } from './command-files.ts';
import { openSkills } from './open-skills.ts';
import { openOutputStyles } from './output-styles.ts';
import { pluginCommands } from './plugin-commands.ts';
import { openPlugins, type PluginConfig } from './plugins.ts';
import { createSettingsAccess } from './settings-access.ts';

export { machineSettingsFile } from '../../settings/read-managed.ts';
export type { ToolSearchMode } from '../../settings/settings.ts';
export type { ConfigOptions, ProjectServerPolicy };

export interface SettingsInput {
  readonly options: ConfigOptions;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly files: PersistentFiles;
  /** Names of built-in tools; undefined: all of them. */
  readonly toolNames: readonly string[] | undefined;
  /** Which skills there are; undefined: all, where the Skill tool is among the tools. */
  readonly skills?: 'all' | readonly string[] | undefined;
  /** Default none. */
  readonly plugins?: readonly PluginConfig[] | undefined;
  readonly stderr: ((line: string) => void) | undefined;
}

/** The engine's configuration, and what of it is the project's. */
export interface SettingsOutcome {
  readonly config: QueryEngineConfig;
  readonly project: ResolvedConfig['project'];
  readonly projectServers: ProjectServerPolicy;
  /** Of the user's own file. */
  readonly userServers: UserServers;
  /** Why the model cannot be asked, as an error to throw; undefined: it can. */
  readonly unreachable: TurnwrightError | undefined;
  /** Why no session may start with these settings, as an error to throw. */
  readonly refused: TurnwrightError | undefined;
}

export async function configFromSettings(input: SettingsInput): Promise<SettingsOutcome> {
  const { cwd, env, files } = input;
  const resolved = await resolveConfig({ options: input.options, env, cwd, files });
  for (const warning of resolved.warnings) input.stderr?.(warning);
  const { limits, permissions, compaction, timeouts } = resolved;
  const tools = createBuiltinTools(input.toolNames, resolved);
  for (const name of unknownTools(input.toolNames ?? [], resolved))
    input.stderr?.(`There is no built-in tool "${name}"; it was passed over.`);
  const skills = openSkills(input, resolved);
  const room = { files, warn: input.stderr };
  const plugins = await openPlugins(input.plugins ?? [], {
    ...room,
    cwd,
    skills: skills.catalogue,
    hookPolicy: resolved.hooks.policy,
  });
  const outputStyles = await openOutputStyles(resolved, { ...room, plugins });
  const config: QueryEngineConfig = {
    cwd,
    tools,
    toolConfig:
      resolved.questionPreviewFormat === undefined
        ? undefined
        : { askUserQuestion: { previewFormat: resolved.questionPreviewFormat } },
    sessionTools: sessionTools(input.toolNames, resolved),
    // Whoever names it wants it.
    ...(input.toolNames?.includes(SLEEP_TOOL) && { promptsWhileWorking: true }),
    webFetch: { privateHosts: resolved.webFetchPrivateHosts },
    plansDirectory: resolved.plansDirectory,
    deferToolsAbove: deferralOf(input.toolNames, resolved),
    stderr: input.stderr,
    files,
    home: resolved.configHome,
    settingSources: resolved.settingSources,
    userSpecifiedModel: resolved.model,
    fallbackModel: resolved.fallbackModels.length === 0 ? undefined : resolved.fallbackModels.join(','),
    modelOverrides: overridesOf(resolved),
    thinkingConfig: resolved.thinking,
    effort: resolved.effort,
    betas: resolved.betas.length === 0 ? undefined : resolved.betas,
    extraBody: resolved.extraBody,
    promptCaching: resolved.promptCaching,
    promptCacheTtl: resolved.promptCacheTtl,
    fastMode: resolved.fastMode,
    persistentRetry: resolved.persistentRetry,
    ...(await connectionOf(resolved)),
    permissionMode: permissions.mode,
    allowDangerouslySkipPermissions: permissions.allowDangerouslySkipPermissions,
    permissionRules: permissions.rules,
    additionalDirectories: permissions.additionalDirectories,
    directorySources: permissions.directorySources,
    permissionLocks: permissions.locks,
    settingsAccess: createSettingsAccess(resolved, {
      ...input,
      projectRoot: resolve(cwd, input.options.projectConfigRoot ?? '.'),
      nowMs: systemClock.nowMs,
    }),
    mcpServerPolicy: resolved.policy.mcpServers,
    mcpToolChanges: resolved.policy.mcpToolChanges,
    configuredHooks: resolved.hooks.configured,
    hookPolicy: resolved.hooks.policy,
    projectRoot: resolved.projectRoot,
    env: { ...env, ...resolved.modelAliases },
    childEnv: resolved.env,
    ...limits,
    maxOutputTokens: resolved.outputCaps.maxOutputTokens,
    compaction: { ...compaction, ...historyTool(input.toolNames, resolved) },
    timeouts: defined({ headersMs: timeouts.headersMs, firstByteMs: timeouts.firstByteMs }),
    mcpTimeouts: defined({ startMs: timeouts.mcpStartMs, callMs: timeouts.mcpToolMs }),
    idleNotificationMs: timeouts.idleNotificationMs,
    durability: resolved.durability,
    memoryFiles: resolved.memoryFiles,
    memoryPath: resolved.memoryPath,
    relevantMemory: resolved.relevantMemory,
    toolUseSummaries: resolved.toolUseSummaries,
    promptSuggestions: resolved.promptSuggestions,
    agentProgressSummaries: resolved.agentProgressSummaries,
    skills,
    plugins,
    outputStyles,
    commandSources: [
      ...commandFileSources(resolved, input.options.projectConfigRoot, files, (line) => input.stderr?.(line)),
      skillCommands(skills.catalogue, { files }),
      pluginCommands(plugins, files, (line) => input.stderr?.(line)),
    ],
    backgroundTasks: resolved.backgroundTasks,
    sessionState: resolved.sessionState,
    enableFileCheckpointing: resolved.fileCheckpointing,
    ...(!wantsAgents(input.toolNames, resolved) && { agentLimits: { maxDepth: 0 } }),
  };
  return {
    config,
    project: resolved.project,
    projectServers: resolved.policy.projectServers,
    userServers: resolved.userServers,
    unreachable: unreachableModel(resolved),
    refused:
      resolved.sandboxRefusal === undefined
        ? undefined
        : new TurnwrightError('sandbox_unavailable', resolved.sandboxRefusal),
  };
}

/** It belongs to the whole set; whoever names the tools, or takes this one away, decides about it too. */
function historyTool(
  names: readonly string[] | undefined,
  { removedTools }: Pick<ResolvedConfig, 'removedTools'>,
): { readonly history?: false } {
  const isWanted = names?.includes(HISTORY_TOOL) !== false && !removedTools.includes(HISTORY_TOOL);
  return isWanted ? {} : { history: false };
}

/** As a share of the window, of the model at hand where nobody chose. Without a ToolSearch nothing can be deferred. */
function deferralOf(
  names: readonly string[] | undefined,
  { baseUrl, deferToolsAbove, removedTools }: ResolvedConfig,
): QueryEngineConfig['deferToolsAbove'] {
  if (removedTools.includes(TOOL_SEARCH_TOOL)) return NEVER;
  if (deferToolsAbove !== undefined) return deferToolsAbove;
  if (names?.includes(TOOL_SEARCH_TOOL) === false) return NEVER;
  return (model) => (asksAnthropic(baseUrl, model) ? ALWAYS : undefined);
}

const NEVER = 1;
const ALWAYS = 0;

async function connectionOf(resolved: ResolvedConfig): Promise<Partial<QueryEngineConfig>> {
  const { apiKeyHelper, cwd, env } = resolved;
  const helper = apiKeyHelper === undefined ? undefined : () => keyFromHelper(apiKeyHelper, cwd, env);
  return {
    baseUrl: resolved.baseUrl,
    apiKey: helper === undefined ? resolved.apiKey : await helper(),
    authToken: resolved.authToken,
    apiKeySource: resolved.apiKeySource,
    headers: resolved.headers,
    proxyUrl: resolved.proxy.url,
    noProxy: resolved.proxy.noProxy,
    ca: resolved.ca,
    credentials: helper && (async () => ({ apiKey: await helper() })),
  };
}

function overridesOf(resolved: ResolvedConfig): QueryEngineConfig['modelOverrides'] {
  return Object.fromEntries(
    Object.entries(resolved.modelOverrides).map(([model, values]) => [model, defined(values)]),
  );
}

type Defined<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

function defined<T extends object>(values: T): Defined<T> {
  return Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined)) as Defined<T>;
}
