/** From options, settings files and environment to the engine's configuration, through the one resolver (L1). */

import { resolve } from 'node:path';
import { asksAnthropic } from '../../model/catalog/anthropic-api.ts';
import { TurnwrightError } from '../../protocol/errors.ts';
import type { PersistentFiles } from '../../protocol/files.ts';
import type { PluginConfig } from '../../protocol/tools/plugin.ts';
import type { ConfigOptions } from '../../settings/config-options.ts';
import type { UserServers } from '../../settings/read/user-servers.ts';
import { resolveConfig } from '../../settings/resolve/resolve-config.ts';
import type { ProjectServerPolicy, ResolvedConfig } from '../../settings/resolve/resolved-config.ts';
import { hideStartupSecrets } from '../../settings/trust/hide-startup-secrets.ts';
import { skillCommands } from '../../skills/commands.ts';
import { HISTORY_TOOL } from '../../tools/builtin/history.ts';
import { SLEEP_TOOL } from '../../tools/builtin/tasks/sleep.ts';
import { TOOL_SEARCH_TOOL } from '../../tools/deferral.ts';
import { systemClock } from '../../util/clock.ts';
import type { LookedAtFiles } from '../../util/files/confined-files.ts';
import type { QueryEngineConfig } from '../config.ts';
import { createSettingsAccess } from '../host/settings-access.ts';
import { keyFromHelper } from '../models/api-key-helper.ts';
import { unreachableModel } from '../models/unreachable-model.ts';
import { commandFileSources } from '../project/command-files.ts';
import { openOutputStyles } from '../project/output-styles.ts';
import { pluginCommands } from '../project/plugin-commands.ts';
import { openPlugins } from '../project/plugins.ts';
import { projectFiles } from '../project/project-files.ts';
import type { SessionSandbox } from '../sandbox/session-sandbox.ts';
import { openSkills } from './open-skills.ts';
import { createBuiltinTools, sessionTools, unknownTools, wantsAgents } from './tools/builtin-tools.ts';

export { machineSettingsFile } from '../../settings/read/read-managed.ts';
export type { ConfigOptions, ProjectServerPolicy };

interface SettingsInput {
  readonly options: ConfigOptions;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  readonly files: PersistentFiles;
  /** Names of built-in tools; undefined: all of them. */
  readonly toolNames: readonly string[] | undefined;
  /** Which skills the model may use; undefined: all, where the Skill tool is among the tools. */
  readonly skills?: 'all' | readonly string[] | undefined;
  /** Default none. */
  readonly plugins?: readonly PluginConfig[] | undefined;
  readonly stderr: ((line: string) => void) | undefined;
}

/** The engine's configuration, and what of it is the project's. */
interface SettingsOutcome {
  readonly config: QueryEngineConfig;
  readonly project: ResolvedConfig['project'];
  readonly projectServers: ProjectServerPolicy;
  /** For whoever looks for more of the project's files. */
  readonly projectFiles: LookedAtFiles;
  /** Of the user's own file. */
  readonly userServers: UserServers;
  /** Why the model cannot be asked, as an error to throw; undefined: it can. */
  readonly unreachable: TurnwrightError | undefined;
  /** Why no session may start with these settings, as an error to throw. */
  readonly refused: TurnwrightError | undefined;
}

export async function configFromSettings(input: SettingsInput): Promise<SettingsOutcome> {
  const { cwd, env, files } = input;
  hideStartupSecrets();
  const resolved = await resolveConfig({ options: input.options, env, cwd, files });
  for (const warning of resolved.warnings) input.stderr?.(warning);
  const { limits, permissions, compaction, timeouts } = resolved;
  const isolation = await isolationOf(resolved, input.stderr);
  const tools = createBuiltinTools(input.toolNames, { ...resolved, sandbox: isolation.sandbox });
  for (const name of unknownTools(input.toolNames ?? [], resolved))
    input.stderr?.(`There is no built-in tool "${name}"; it was passed over.`);
  const warn = (line: string) => input.stderr?.(line);
  const looked = projectFiles(resolved, files, warn);
  const skills = openSkills({ ...input, files: looked }, resolved);
  const room = { files, warn: input.stderr };
  const plugins = await openPlugins(input.plugins ?? [], {
    ...room,
    cwd,
    skills: skills.catalogue,
    hookPolicy: resolved.hooks.policy,
  });
  const outputStyles = await openOutputStyles(resolved, { ...room, files: looked, plugins });
  const commands = commandFileSources(resolved, { files: looked, warn });
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
    projectTrusted: resolved.projectTrusted,
    model: resolved.model,
    fallbackModel: resolved.fallbackModels.length === 0 ? undefined : resolved.fallbackModels.join(','),
    modelOverrides: overridesOf(resolved),
    thinking: resolved.thinking,
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
    sandbox: isolation.sandbox,
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
      ...commands.first,
      skillCommands(skills.catalogue, { files: looked }),
      pluginCommands(plugins, files, warn),
      ...commands.last,
    ],
    backgroundTasks: resolved.backgroundTasks,
    sessionState: resolved.sessionState,
    enableFileCheckpointing: resolved.fileCheckpointing,
    ...(!wantsAgents(input.toolNames, resolved) && { maxSubagentDepth: 0 }),
  };
  return {
    config,
    project: resolved.project,
    projectServers: resolved.policy.projectServers,
    projectFiles: looked,
    userServers: resolved.userServers,
    unreachable: unreachableModel(resolved),
    refused: isolation.refused,
  };
}

/** A session that asks for isolated commands does not start without them, unless it accepts their absence. */
async function isolationOf(
  { sandbox: asked, configHome, homeDirectory: home }: ResolvedConfig,
  stderr: SettingsInput['stderr'],
): Promise<{ readonly sandbox?: SessionSandbox; readonly refused?: TurnwrightError }> {
  if (asked === undefined) return {};
  const { refusingSandbox, sandboxOf } = await import('../sandbox/open-sandbox.ts');
  const found = await sandboxOf(asked, { configHome, home });
  if ('sandbox' in found) return found;
  const why = `sandbox is enabled but ${found.why}`;
  if (!asked.failIfUnavailable) {
    stderr?.(`Sandbox disabled: ${why}. Commands will run WITHOUT isolation.`);
    return {};
  }
  const sentence = `Sandbox required but unavailable: ${why}. Set sandbox.failIfUnavailable=false to allow unsandboxed execution.`;
  return {
    sandbox: refusingSandbox(asked, sentence),
    refused: new TurnwrightError('sandbox_unavailable', sentence),
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
