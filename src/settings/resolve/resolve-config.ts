import { resolve } from 'node:path';
import type { ToolSearchMode } from '../../options/option-values.ts';
import { toolSearchShare } from '../../options/tool-search-mode.ts';
import type { PersistentFiles } from '../../protocol/files.ts';
import type { ThinkingConfig } from '../../protocol/wire.ts';
import { projectFolders } from '../../util/files/folders.ts';
import type { ConfigOptions } from '../config-options.ts';
import { configHome, type Env, homeDirectory } from '../read/config-home.ts';
import { type EnvironmentValues, readEnvironment } from '../read/read-environment.ts';
import { readManaged } from '../read/read-managed.ts';
import { readFlagSettings, readSettings } from '../read/read-settings.ts';
import { unknownKeyWarnings } from '../read/unknown-keys.ts';
import { NO_USER_SERVERS, readUserServers, userServersFile } from '../read/user-servers.ts';
import type { Settings } from '../settings.ts';
import { childEnvironment } from './child-env.ts';
import { grantsFor } from './granted-directories.ts';
import { layLayers, userVariables } from './merge-layers.ts';
import { resolveConnection } from './resolve-connection.ts';
import { resolveHooks } from './resolve-hooks.ts';
import { absolute, resolvePermissions } from './resolve-permissions.ts';
import { resolvePolicy } from './resolve-policy.ts';
import { resolveProject } from './resolve-project.ts';
import { resolveSandbox } from './resolve-sandbox.ts';
import type { ResolvedConfig } from './resolved-config.ts';
import { withoutPolicyKeys } from './restrictions.ts';
import { limitRepositoryLayers } from './untrusted-project.ts';

export interface ConfigSources {
  /** Options of the library and flags of the command line: the same names. Default none. */
  readonly options?: ConfigOptions | undefined;
  /** Default empty: the process's own environment is for the caller to hand in. */
  readonly env?: Env | undefined;
  /** Absolute. */
  readonly cwd: string;
  readonly files: Pick<PersistentFiles, 'readFile' | 'readDir' | 'realpath' | 'stat'>;
  /** Default this machine's. */
  readonly platform?: NodeJS.Platform | undefined;
}

/**
 * The one resolver (L1): options and flags beat the environment, which beats settings (flag, local, project, user).
 * Rules and directories of all sources add up. Reads only the settings files that `settingSources` names, and
 * certificate files. The options are checked already. Throws `invalid_settings`, naming what is wrong and where.
 */
export async function resolveConfig({
  options = {},
  env = {},
  cwd,
  files,
  platform = process.platform,
}: ConfigSources): Promise<ResolvedConfig> {
  const { settingSources = [] } = options;
  const home = homeDirectory(env);
  const userHome = configHome(env, cwd);
  const projectRoot = resolve(cwd, options.projectConfigRoot ?? '.');
  const isProjectRead = settingSources.some((source) => source !== 'user');
  const repositoryRoot = isProjectRead ? await rootOfRepository(projectRoot, home, files) : projectRoot;
  const read = [
    ...(await readSettings({
      sources: settingSources,
      configHome: userHome,
      projectRoot,
      repositoryRoot,
      files,
    })),
    ...(await readFlagSettings(options.settings, files, (path) => resolve(cwd, path))),
  ];
  const warnings = read.flatMap(unknownKeyWarnings);
  const warn = (warning: string) => warnings.push(warning);
  const project = await resolveProject({
    options,
    projectRoot,
    repositoryRoot,
    configHome: userHome,
    layers: read,
    files,
    warn,
  });
  const userServers =
    options.strictMcpConfig === true
      ? NO_USER_SERVERS
      : await readUserServers({
          file: userServersFile(env, cwd),
          projectRoot,
          sources: settingSources,
          files,
          warn,
        });
  const { layers: own, warnings: refused } = limitRepositoryLayers(read, {
    trusted: project.trusted,
    mayAllow: project.mayAllow,
    isGranted: await grantsFor(read, project.trust, { configHome: userHome, projectRoot, files }),
  });
  warnings.push(...refused);
  const managed = await readManaged({
    given: options.managedSettings,
    machineFile: options.managedSettingsFile,
    files,
    resolvePath: (path) => resolve(cwd, path),
    warn,
  });
  const layers = [...own.map(withoutPolicyKeys), ...managed];

  const settings = layLayers(layers);
  const environment = readEnvironment({ ...env, ...userVariables(layers) });
  const permissions = resolvePermissions(options, layers, { cwd, homeDirectory: home, warn });
  const connection = await resolveConnection({ options, settings, environment, cwd, files, warn });
  return {
    cwd,
    configHome: userHome,
    projectRoot,
    repositoryRoot,
    homeDirectory: home,
    settingSources,
    settingsFiles: layers.filter(({ source }) => source !== 'flag').map(({ file }) => file),
    warnings,
    layers,
    project,
    userServers,

    model: options.model ?? environment.model ?? settings.model,
    fallbackModels: modelList(options.fallbackModel ?? settings.fallbackModel),
    modelAliases: environment.modelAliases,
    modelOverrides: settings.models ?? {},
    thinking: resolveThinking(options, environment, settings),
    effort: options.effort ?? environment.effort ?? settings.effortLevel,
    betas: [...new Set([...(options.betas ?? []), ...environment.betas])],
    extraBody: environment.extraBody,
    promptCaching: !environment.promptCachingOff,
    promptCacheTtl: environment.promptCacheTtl ?? settings.promptCacheTtl,
    fastMode: environment.fastModeOff
      ? 'disabled_by_env'
      : (options.fastMode ?? environment.fastMode ?? settings.fastMode ?? false),
    persistentRetry:
      options.persistentRetry ?? environment.persistentRetry ?? settings.persistentRetry ?? false,

    ...connection,
    otherProviders: environment.otherProviders,
    permissions,
    policy: resolvePolicy(layers),
    sandbox: await resolveSandbox(options.sandbox, layers, {
      cwd,
      projectRoot,
      configHome: userHome,
      home,
      platform,
      path: env['PATH'] ?? '',
      warn,
    }),
    hooks: await resolveHooks(layers, settings, warn),
    removedTools: (options.disallowedTools ?? [])
      .filter((rule) => !rule.includes('('))
      .map((rule) => rule.trim()),
    backgroundTasks: !environment.backgroundTasksOff,
    sessionState: environment.sessionState,
    fileCheckpointing:
      options.enableFileCheckpointing ??
      environment.fileCheckpointing ??
      settings.fileCheckpointingEnabled ??
      false,
    deferToolsAbove:
      shareOf(options.toolSearch) ?? environment.deferToolsAbove ?? shareOf(settings.toolSearch),
    questionPreviewFormat: environment.questionPreviewFormat,
    webFetchPrivateHosts: settings.webFetchPrivateHosts ?? [],
    plansDirectory: settings.plansDirectory && absolute(settings.plansDirectory, projectRoot, home),
    env: childEnvironment(env, {
      allow: settings.childEnvAllow,
      set: settings.env,
    }),

    limits: {
      maxTurns: options.maxTurns,
      maxBudgetUsd: options.maxBudgetUsd,
      taskBudget: options.taskBudget,
      maxRetries: environment.maxRetries,
      unreachedRetries: environment.unreachedRetries,
      stopHookBlockCap: environment.stopHookBlockCap,
    },
    outputCaps: {
      maxOutputTokens: environment.maxOutputTokens,
      bashMaxChars: environment.bashMaxOutputChars ?? settings.bashOutputMaxChars,
    },
    compaction: {
      auto: !environment.autoCompactOff && (settings.autoCompactEnabled ?? true),
      window: environment.autoCompactWindow ?? settings.autoCompactWindow,
    },
    timeouts: {
      headersMs: environment.headersTimeoutMs,
      firstByteMs: environment.firstByteTimeoutMs,
      bashDefaultMs: environment.bashDefaultTimeoutMs,
      bashMaxMs: environment.bashMaxTimeoutMs,
      mcpStartMs: environment.mcpStartTimeoutMs,
      mcpToolMs: environment.mcpToolTimeoutMs,
      idleNotificationMs: environment.idleNotificationMs,
    },
    durability: settings.durability ?? 'process',
    memoryFiles: {
      excludes: layers.flatMap((layer) => layer.settings.claudeMdExcludes ?? []),
      imports: settings.memoryImports ?? 'project',
    },
    memoryPath: environment.memoryPath && absolute(environment.memoryPath, cwd, home),
    relevantMemory: settings.relevantMemory,
    toolUseSummaries: settings.toolUseSummaries,
    promptSuggestions: options.promptSuggestions === true && !environment.promptSuggestionsOff,
    agentProgressSummaries: options.agentProgressSummaries === true && !environment.agentSummariesOff,
    projectTrusted: project.trusted,
    outputStyle: settings.outputStyle,
    skills: {
      project: settingSources.includes('project')
        ? { root: projectRoot, trusted: project.trusted, trusts: project.trusts }
        : undefined,
      user: settingSources.includes('user'),
      maxDescriptionChars: settings.skillListingMaxDescChars,
      budgetFraction: settings.skillListingBudgetFraction,
      overrides: settings.skillOverrides ?? {},
    },
  };
}

/** A home that is itself under version control makes no repository of what lies in it: links could lead to all of it. */
async function rootOfRepository(
  projectRoot: string,
  home: string | undefined,
  files: Pick<PersistentFiles, 'stat'>,
): Promise<string> {
  const root = (await projectFolders(projectRoot, files)).at(-1) ?? projectRoot;
  return root === home ? projectRoot : root;
}

function modelList(given: string | readonly string[] | undefined): readonly string[] {
  const names = typeof given === 'string' ? given.split(',') : (given ?? []);
  return [...new Set(names.map((name) => name.trim()).filter((name) => name !== ''))];
}

const shareOf = (mode: ToolSearchMode | undefined): number | undefined =>
  mode === undefined ? undefined : toolSearchShare(mode);

/** A budget of 0 switches thinking off. */
function resolveThinking(
  options: ConfigOptions,
  environment: EnvironmentValues,
  { alwaysThinkingEnabled }: Settings,
): ThinkingConfig | undefined {
  if (options.thinking !== undefined) return options.thinking;
  const budgetTokens = options.maxThinkingTokens ?? environment.maxThinkingTokens;
  if (budgetTokens === undefined) return alwaysThinkingEnabled === false ? { type: 'disabled' } : undefined;
  return budgetTokens === 0 ? { type: 'disabled' } : { type: 'enabled', budgetTokens };
}
