import { resolve } from 'node:path';
import type { ToolSearchMode } from '../../options/option-values.ts';
import type { BaseOptions } from '../../options/options.ts';
import { OPTIONS } from '../../options/table.ts';
import { toolSearchShare } from '../../options/tool-search-mode.ts';
import type { PersistentFiles } from '../../protocol/files.ts';
import type { ThinkingConfig } from '../../protocol/model/wire.ts';
import { projectFolders } from '../../util/files/folders.ts';
import type { ConfigOptions } from '../config-options.ts';
import { configHome, type Env, homeDirectory } from '../read/config-home.ts';
import { readEnvironment } from '../read/read-environment.ts';
import { readManaged } from '../read/read-managed.ts';
import { readFlagSettings, readSettings } from '../read/read-settings.ts';
import { unknownKeyWarnings } from '../read/unknown-keys.ts';
import { NO_USER_SERVERS, readUserServers, userServersFile } from '../read/user-servers.ts';
import type { Settings, SettingsLayer } from '../settings.ts';
import { childEnvironment } from './child-env.ts';
import { grantsFor } from './granted-directories.ts';
import { layLayers, userVariables } from './merge-layers.ts';
import { resolveConnection } from './resolve-connection.ts';
import { resolveHooks } from './resolve-hooks.ts';
import { absolute, resolvePermissions } from './resolve-permissions.ts';
import { resolvePolicy } from './resolve-policy.ts';
import { resolveProject } from './resolve-project.ts';
import type { SandboxPlaces } from './resolve-sandbox.ts';
import type { ResolvedConfig } from './resolved-config.ts';
import { withoutPolicyKeys } from './restrictions.ts';
import { limitRepositoryLayers } from './untrusted-project.ts';

interface ConfigSources {
  /** Options of the library and flags of the command line: the same names. Default none. */
  readonly options?: ConfigOptions | undefined;
  /** Default empty: the process's own environment is for the caller to hand in. */
  readonly env?: Env | undefined;
  /** Absolute. */
  readonly cwd: string;
  readonly files: Pick<PersistentFiles, 'readFile' | 'readDir' | 'realpath' | 'stat'>;
  /** What the settings files said when the session began: they are not read again. Absent: they are read. */
  readonly readBefore?: readonly SettingsLayer[] | undefined;
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
  readBefore,
  platform = process.platform,
}: ConfigSources): Promise<ResolvedConfig> {
  const { settingSources = [] } = options;
  const home = homeDirectory(env);
  const userHome = configHome(env, cwd);
  const projectRoot = resolve(cwd, options.projectConfigRoot ?? '.');
  const isProjectRead = settingSources.some((source) => source !== 'user');
  const repositoryRoot = isProjectRead ? await rootOfRepository(projectRoot, home, files) : projectRoot;
  const places = { sources: settingSources, configHome: userHome, projectRoot, repositoryRoot, files };
  const filesRead = readBefore ?? (await readSettings(places));
  const read = [
    ...filesRead,
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
  const { options: given } = environment;
  const chosen = chooser(options, given);
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
    filesRead,
    project,
    userServers,

    model: chosen('model', settings.model),
    fallbackModels: modelList(options.fallbackModel ?? settings.fallbackModel),
    modelAliases: environment.modelAliases,
    modelOverrides: settings.models ?? {},
    thinking: options.thinking ?? thinkingOf(chosen('maxThinkingTokens'), settings),
    effort: chosen('effort', settings.effortLevel),
    betas: [...new Set([...(options.betas ?? []), ...(given.betas ?? [])])],
    extraBody: environment.extraBody,
    promptCaching: !environment.promptCachingOff,
    promptCacheTtl: environment.promptCacheTtl ?? settings.promptCacheTtl,
    fastMode: environment.fastModeOff
      ? 'disabled_by_env'
      : chosen('fastMode', settings.fastMode, OPTIONS.fastMode.default),
    persistentRetry: chosen('persistentRetry', settings.persistentRetry, OPTIONS.persistentRetry.default),

    ...connection,
    otherProviders: environment.otherProviders,
    permissions,
    policy: resolvePolicy(layers),
    sandbox: await sandboxOf(options.sandbox, layers, {
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
    fileCheckpointing: chosen(
      'enableFileCheckpointing',
      settings.fileCheckpointingEnabled,
      OPTIONS.enableFileCheckpointing.default,
    ),
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

/** The option, else what its variable says, else what settings say, else the default. */
const chooser =
  (options: BaseOptions, environment: BaseOptions) =>
  <Name extends keyof BaseOptions, D = undefined>(
    name: Name,
    setting?: BaseOptions[Name],
    byDefault?: D,
  ): NonNullable<BaseOptions[Name]> | D =>
    (options[name] ?? environment[name] ?? setting ?? byDefault) as NonNullable<BaseOptions[Name]> | D;

/** A budget of 0 switches thinking off. */
function thinkingOf(
  budgetTokens: number | undefined,
  { alwaysThinkingEnabled }: Settings,
): ThinkingConfig | undefined {
  if (budgetTokens === undefined) return alwaysThinkingEnabled === false ? { type: 'disabled' } : undefined;
  return budgetTokens === 0 ? { type: 'disabled' } : { type: 'enabled', budgetTokens };
}

async function sandboxOf(
  option: ConfigOptions['sandbox'],
  layers: readonly SettingsLayer[],
  places: SandboxPlaces,
): Promise<ResolvedConfig['sandbox']> {
  if (option === undefined && layers.every(({ settings }) => settings.sandbox === undefined))
    return undefined;
  const { resolveSandbox } = await import('./resolve-sandbox.ts');
  return resolveSandbox(option, layers, places);
}
