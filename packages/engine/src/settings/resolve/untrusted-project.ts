import { isAbsolute } from 'node:path';
import { isRepositoryLayer, SCREEN_KEYS, type Settings, type SettingsLayer } from '../settings-keys.ts';
import { pickRestrictions } from './restrictions.ts';
import { opens, pickDemands } from './sandbox-settings.ts';

/**
 * Address, content and cost of requests, and programs that run with the user's keys: a repository can never
 * set these (T102, T103).
 */
const USER_ONLY = [
  'autoMode',
  'apiKeyHelper',
  'awsAuthRefresh',
  'awsCredentialExport',
  'gcpAuthRefresh',
  'baseUrl',
  'provider',
  'providers',
  'headers',
  'proxyUrl',
  'noProxy',
  'caFile',
  'childEnvAllow',
  'webFetchPrivateHosts',
  'models',
  'modelsFile',
  'fastMode',
  'persistentRetry',
  'promptCacheTtl',
  'durability',
  'disableAllHooks',
  'memoryImports',
  'relevantMemory',
  'toolUseSummaries',
  'allowedHttpHookUrls',
  'httpHookAllowedEnvVars',
  'mcpToolChanges',
] as const satisfies readonly (keyof Settings)[];

/** Variables that decide what programs load and run, or where they connect. */
const STEERING = [
  /^(?:ANTHROPIC|CLAUDE|TURNWRIGHT|OTEL|AWS|GOOGLE|GCLOUD|CLOUDSDK|AZURE)_/i,
  /_PROXY$/i,
  /^(?:LD|DYLD|GIT|NPM_CONFIG|JAVA|JDK|BASH|ZSH|SSL|CURL|SSH)_/i,
  /^NODE_(?!ENV$)/i,
  /^(?:PYTHON|PERL|RUBY)/i,
  /^_?JAVA_OPTIONS$/i,
  /^(?:PATH|HOME|USERPROFILE|SHELL|ENV|IFS|ZDOTDIR|TMPDIR|TEMP|TMP|CDPATH|FPATH|PROMPT_COMMAND|PS[0-4]|SHELLOPTS)$/i,
  /^(?:EDITOR|VISUAL|PAGER|MANPAGER|BROWSER|LESSOPEN|LESSCLOSE|COMSPEC|PATHEXT|XDG_.*)$/i,
  /^(?:REQUESTS_CA_BUNDLE|MAVEN_OPTS|GRADLE_OPTS|RUSTC_WRAPPER|CC|CXX|LUA_INIT|PHPRC|R_PROFILE.*)$/i,
];

interface LimitedLayers {
  readonly layers: readonly SettingsLayer[];
  /** One sentence for each value that was ignored. */
  readonly warnings: readonly string[];
  /** One for each file whose hooks do not run, or that counts as absent. */
  readonly notices: readonly string[];
}

interface RepositoryRights {
  readonly trusted: boolean;
  /** Whether the shared file may allow tools: naming it as a source is not enough for that. */
  readonly mayAllow: boolean;
  /** Whether the user has opened this folder for the project: then the local file may name it. */
  readonly isGranted: (directory: string) => boolean;
}

/**
 * Removes from repository-provided settings what only the user may set. In a project that is not trusted,
 * only restrictions remain.
 */
export function limitRepositoryLayers(
  layers: readonly SettingsLayer[],
  { trusted, mayAllow, isGranted }: RepositoryRights,
): LimitedLayers {
  const warnings: string[] = [];
  const notices: string[] = [];
  const limited = layers.map((layer) => {
    if (!isRepositoryLayer(layer)) return layer;
    const hooks = Object.values(layer.settings.hooks ?? {}).flatMap((groups) =>
      groups.flatMap((g) => g.hooks),
    );
    if (!trusted && hooks.length > 0)
      notices.push(`${layer.file}: its hooks (${hooks.length}) do not run: this folder is not trusted.`);
    if (!trusted && layer.settings.verify !== undefined)
      notices.push(
        `${layer.file}: its completion conditions (verify) do not hold: this folder is not trusted.`,
      );
    if (!trusted && layer.settings.languageServers !== undefined)
      notices.push(`${layer.file}: its language servers do not run: this folder is not trusted.`);
    if (!trusted && layer.unusable !== undefined)
      notices.push(
        `${layer.unusable.error.message.replace(/\.?$/, '.')} The file counts as absent: this folder is not trusted.`,
      );
    const refuse = (key: string, why: string) => warnings.push(`${layer.file}: ${key} was ignored: ${why}`);
    return {
      ...layer,
      settings: trusted ? limit(layer, { mayAllow, isGranted }, refuse) : pickRestrictions(layer.settings),
    };
  });
  return { layers: limited, warnings, notices };
}

function limit(
  { source, settings }: SettingsLayer,
  { mayAllow, isGranted }: Pick<RepositoryRights, 'mayAllow' | 'isGranted'>,
  refuse: (key: string, why: string) => void,
): Settings {
  const kept: Record<string, unknown> = { ...settings };
  for (const key of SCREEN_KEYS) delete kept[key];
  for (const key of USER_ONLY) {
    if (kept[key] === undefined) continue;
    delete kept[key];
    refuse(key, 'a repository may not set it.');
  }
  if (settings.plansDirectory !== undefined && leadsOut(settings.plansDirectory)) {
    delete kept['plansDirectory'];
    refuse('plansDirectory', 'a repository may only name a folder inside the project.');
  }
  if (settings.sandbox !== undefined) {
    if (opens(settings.sandbox))
      refuse('sandbox', 'a repository may tighten isolation, and not open it or switch it off.');
    kept['sandbox'] = pickDemands(settings.sandbox);
  }
  if (settings.verify?.judge !== undefined) {
    const { judge: _, ...conditions } = settings.verify;
    kept['verify'] = conditions;
    refuse('verify.judge', 'a repository may not choose what asks a model.');
  }
  const env = Object.entries(settings.env ?? {}).filter(([name]) => {
    const steers = STEERING.some((pattern) => pattern.test(name));
    if (steers)
      refuse(`env.${name}`, 'a repository may not set variables that decide what runs or where it connects.');
    return !steers;
  });
  const { permissions } = settings;
  const { defaultMode } = permissions ?? {};
  const bypasses = defaultMode === 'bypassPermissions' || defaultMode === 'auto';
  if (defaultMode === 'bypassPermissions')
    refuse('permissions.defaultMode', 'a repository may not switch permission checks off.');
  if (defaultMode === 'auto')
    refuse('permissions.defaultMode', 'a repository may not let a model answer in your place.');
  // Folders inside the project are open anyway; `~`, `..` and links in the project would open others.
  const named = permissions?.additionalDirectories;
  const granted = named?.filter((directory) => source === 'local' && isGranted(directory));
  if (named?.length !== granted?.length) {
    refuse('permissions.additionalDirectories', 'a repository may not open further folders.');
  }
  const holdsBack = source === 'project' && !mayAllow && (permissions?.allow ?? []).length > 0;
  if (holdsBack)
    refuse('permissions.allow', 'the folder was named as a source, and not trusted (`turnwright trust`).');
  return {
    ...kept,
    env: Object.fromEntries(env),
    permissions: {
      ...permissions,
      allow: holdsBack ? undefined : permissions?.allow,
      defaultMode: bypasses ? undefined : defaultMode,
      additionalDirectories: granted,
    },
  };
}

function leadsOut(folder: string): boolean {
  return isAbsolute(folder) || folder.startsWith('~') || folder.split(/[\\/]/).includes('..');
}
