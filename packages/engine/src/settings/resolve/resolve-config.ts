import { resolve } from 'node:path';
import { extended } from '@turnwright/base/collections/extended.ts';
import { projectFolders } from '@turnwright/base/files/folders.ts';
import { homeDirectory } from '@turnwright/base/files/home-path.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import type { ToolSearchMode } from '../../options/option-values.ts';
import type { BaseOptions } from '../../options/options.ts';
import { toolSearchShare } from '../../options/tool-search-mode.ts';
import { configHome, type Environment } from '../read/config-home.ts';
import { readModelsFile } from '../read/models-file.ts';
import { type EnvironmentValues, readEnvironment } from '../read/read-environment.ts';
import { readManaged } from '../read/read-managed.ts';
import { readFlagSettings, readSettings } from '../read/read-settings.ts';
import { unknownKeyWarnings } from '../read/unknown-keys.ts';
import { NO_USER_SERVERS, readUserServers, userServersFile } from '../read/user-servers.ts';
import { isRepositoryLayer, type Settings, type SettingsLayer } from '../settings-keys.ts';
import { grantsFor } from './granted-directories.ts';
import { layLayers, userVariables } from './merge-layers.ts';
import type { Resolution } from './resolution.ts';
import { type GivenAccess, resolveConnection } from './resolve-connection.ts';
import { resolveHooks } from './resolve-hooks.ts';
import { resolveOptions } from './resolve-options.ts';
import { resolvePermissions } from './resolve-permissions.ts';
import { resolvePolicy } from './resolve-policy.ts';
import { resolveProject } from './resolve-project.ts';
import type { ResolvedSandbox, SandboxPlaces } from './resolve-sandbox.ts';
import { withoutPolicyKeys } from './restrictions.ts';
import { limitRepositoryLayers } from './untrusted-project.ts';

export interface ConfigSources {
  /** Default none. They are checked already. */
  readonly options?: BaseOptions | undefined;
  /** Credentials and address that the caller set in the engine's own configuration. */
  readonly engine?: GivenAccess | undefined;
  /** Default empty: the caller passes the environment of the process. */
  readonly env?: Environment | undefined;
  /** Absolute. */
  readonly cwd: string;
  readonly files: Pick<
    PersistentFiles,
    'exists' | 'readFile' | 'readPlain' | 'readDir' | 'realpath' | 'stat'
  >;
  /** The settings files as they were when the session began. Absent: they are read. */
  readonly readBefore?: readonly SettingsLayer[] | undefined;
  /** Default that of this machine. */
  readonly platform?: NodeJS.Platform | undefined;
}

/**
 * The one resolver (L1): options and flags override the environment, which overrides settings (flag, local,
 * project, user). Rules and directories of all sources are combined. Reads only the settings files that
 * `settingSources` names, and certificate files. Throws `invalid_settings`, which names the source and the
 * problem.
 */
export async function resolveConfig({
  options = {},
  engine = {},
  env = {},
  cwd,
  files,
  readBefore,
  platform = process.platform,
}: ConfigSources): Promise<Resolution> {
  const { settingSources = [] } = options;
  const places = await findPlaces(options, env, cwd, files);
  const { home, configHome: userHome, projectRoot, repositoryRoot } = places;
  const filesRead = readBefore ?? (await readSettings({ ...places, sources: settingSources, files }));
  const read = [
    ...filesRead,
    ...(await readFlagSettings(options.settings, files, (path) => resolve(cwd, path))),
  ];
  const notes = openNotes(read.flatMap(unknownKeyWarnings));
  const { warn, notice } = notes;
  const project = await resolveProject({
    options,
    projectRoot,
    repositoryRoot,
    configHome: userHome,
    layers: read,
    files,
    warn,
  });
  const servers = { file: userServersFile(env, cwd), projectRoot, sources: settingSources, files, warn };
  const userServers = options.strictMcpConfig === true ? NO_USER_SERVERS : await readUserServers(servers);
  refuseUnusable(read, project.trusted);
  const layers = [
    ...(await limitLayers(read, project, { configHome: userHome, projectRoot, files }, notes)),
    ...(await readManaged({
      given: options.managedSettings,
      machineFile: options.managedSettingsFile,
      files,
      resolvePath: (path) => resolve(cwd, path),
      warn,
    })),
  ];
  for (const { file, skipped = [] } of layers)
    if (skipped.length > 0) notice(`${file}: passed over, because it cannot be read: ${listed(skipped)}.`);
  const settings = await withModelsFile(layLayers(layers), { cwd, homeDirectory: home, files });
  const providerEnv = { ...env, ...userVariables(layers) };
  const environment = readEnvironment(providerEnv);
  const permissions = resolvePermissions(options, layers, { cwd, homeDirectory: home, warn, notice });
  const { apiKeyHelper, isModelConfigured, providerAskedBy, ...connection } = await resolveConnection({
    given: engine,
    options,
    settings,
    environment,
    cwd,
    files,
    loginHome: settingSources.includes('user') ? userHome : undefined,
    warn,
  });
  const policy = resolvePolicy(layers);
  const { awsAuthRefresh, awsCredentialExport, gcpAuthRefresh } = settings;
  const credentialCommands = { awsAuthRefresh, awsCredentialExport, gcpAuthRefresh };
  return {
    config: resolveOptions({
      options,
      env,
      environment,
      layers,
      settings,
      homeDirectory: home,
      places: { cwd, home: userHome, projectRoot, projectTrusted: project.trusted, settingSources },
      connection: extended(connection, { providerEnv, credentialCommands }),
      permissions,
      hooks: await resolveHooks(layers, settings, notice),
      policy,
    }),
    warnings: notes.warnings,
    notices: notes.notices,
    layers,
    filesRead,
    repositoryRoot,
    homeDirectory: home,
    project,
    projectServers: policy.projectServers,
    userServers,
    sandbox: await findSandbox(options.sandbox, layers, {
      cwd,
      projectRoot,
      configHome: userHome,
      home,
      platform,
      path: env['PATH'] ?? '',
      warn,
    }),
    apiKeyHelper,
    isModelConfigured,
    providerAskedBy,
    ...chooseSessionParts({ options, environment, settings, layers, project, projectRoot }),
  };
}

/** Sentences about the settings, for the user; each notice is also a warning. */
interface Notes {
  readonly warnings: string[];
  readonly notices: string[];
  readonly warn: (warning: string) => void;
  readonly notice: (sentence: string) => void;
}

function openNotes(warnings: string[]): Notes {
  const notices: string[] = [];
  const warn = (warning: string) => void warnings.push(warning);
  const notice = (sentence: string) => {
    notices.push(sentence);
    warn(sentence);
  };
  return { warnings, notices, warn, notice };
}

interface Places {
  readonly home: string | undefined;
  readonly configHome: string | undefined;
  readonly projectRoot: string;
  readonly repositoryRoot: string;
}

async function findPlaces(
  { settingSources = [], projectConfigRoot = '.' }: BaseOptions,
  env: Environment,
  cwd: string,
  files: ConfigSources['files'],
): Promise<Places> {
  const home = homeDirectory(env);
  const projectRoot = resolve(cwd, projectConfigRoot);
  const isProjectRead = settingSources.some((source) => source !== 'user');
  const repositoryRoot = isProjectRead ? await rootOfRepository(projectRoot, home, files) : projectRoot;
  return { home, configHome: configHome(env, cwd), projectRoot, repositoryRoot };
}

/** The layers without what each may not set. */
async function limitLayers(
  read: readonly SettingsLayer[],
  { trusted, mayAllow, trust }: Resolution['project'],
  places: Parameters<typeof grantsFor>[2],
  notes: Notes,
): Promise<readonly SettingsLayer[]> {
  const isGranted = await grantsFor(read, trust, places);
  const { layers, warnings, notices } = limitRepositoryLayers(read, { trusted, mayAllow, isGranted });
  warnings.forEach(notes.warn);
  notices.forEach(notes.notice);
  return layers.map(withoutPolicyKeys);
}

interface Chosen extends Pick<Resolution, 'layers' | 'project'> {
  readonly options: BaseOptions;
  readonly environment: EnvironmentValues;
  readonly settings: Settings;
  readonly projectRoot: string;
}

/** What the parts of a session are made with that have no option of the engine. */
function chooseSessionParts({
  options,
  environment,
  settings,
  layers,
  project: { trusted, trusts },
  projectRoot,
}: Chosen): Pick<
  Resolution,
  'languageServers' | 'removedTools' | 'deferToolsAbove' | 'bash' | 'outputStyle' | 'agent' | 'skills'
> {
  const { settingSources = [], disallowedTools = [], toolSearch } = options;
  return {
    languageServers: options.languageServers ?? settings.languageServers,
    removedTools: disallowedTools.filter((rule) => !rule.includes('(')).map((rule) => rule.trim()),
    deferToolsAbove: shareOf(toolSearch) ?? environment.deferToolsAbove ?? shareOf(settings.toolSearch),
    bash: {
      defaultTimeoutMs: environment.bashDefaultTimeoutMs,
      maxTimeoutMs: environment.bashMaxTimeoutMs,
      maxOutputChars: environment.bashMaxOutputChars ?? settings.bashOutputMaxChars,
    },
    outputStyle: settings.outputStyle,
    agent: layers.findLast(
      (layer) => layer.settings.agent !== undefined && (trusted || !isRepositoryLayer(layer)),
    )?.settings.agent,
    skills: {
      project: settingSources.includes('project') ? { root: projectRoot, trusted, trusts } : undefined,
      user: settingSources.includes('user'),
      maxDescriptionChars: settings.skillListingMaxDescChars,
      budgetFraction: settings.skillListingBudgetFraction,
      overrides: settings.skillOverrides ?? {},
    },
  };
}

/**
 * A home folder under version control is not the repository of the projects in it: links could lead anywhere
 * in the home folder.
 */
async function rootOfRepository(
  projectRoot: string,
  home: string | undefined,
  files: Pick<PersistentFiles, 'exists'>,
): Promise<string> {
  const root = (await projectFolders(projectRoot, files)).at(-1) ?? projectRoot;
  return root === home ? projectRoot : root;
}

/** With the models of `modelsFile` where `models` does not name them. */
async function withModelsFile(
  settings: Settings,
  place: Parameters<typeof readModelsFile>[1],
): Promise<Settings> {
  if (settings.modelsFile === undefined) return settings;
  const models = await readModelsFile(settings.modelsFile, place);
  return { ...settings, models: { ...models, ...settings.models } };
}

/** Most entries that a line names. */
const NAMED = 8;

function listed(entries: readonly string[]): string {
  const more = entries.length - NAMED;
  return [...entries.slice(0, NAMED), ...(more > 0 ? [`and ${more} more`] : [])].join('; ');
}

/** What restricts in a project that counts must not be lost. */
function refuseUnusable(layers: readonly SettingsLayer[], trusted: boolean): void {
  const unusable = trusted ? layers.find((layer) => layer.unusable !== undefined)?.unusable : undefined;
  if (unusable !== undefined) throw unusable.error;
}

const shareOf = (mode: ToolSearchMode | undefined): number | undefined =>
  mode === undefined ? undefined : toolSearchShare(mode);

async function findSandbox(
  option: BaseOptions['sandbox'],
  layers: readonly SettingsLayer[],
  places: SandboxPlaces,
): Promise<ResolvedSandbox | undefined> {
  if (option === undefined && layers.every(({ settings }) => settings.sandbox === undefined))
    return undefined;
  const { resolveSandbox } = await import('./resolve-sandbox.ts');
  return resolveSandbox(option, layers, places);
}
