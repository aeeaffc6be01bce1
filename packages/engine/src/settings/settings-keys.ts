import type { SettingSource, ToolSearchMode } from '../options/option-values.ts';
import type { TurnwrightError } from '../protocol/errors.ts';
import type { ProviderConfig } from '../protocol/model/provider-config.ts';
import type { EffortLevel } from '../protocol/model/wire.ts';
import type { VerifyConditions } from '../protocol/session/verification.ts';
import type { AutoMode } from '../protocol/tools/auto-mode.ts';
import type { LanguageServersOption } from '../protocol/tools/language.ts';
import type { SandboxSettings } from './resolve/sandbox-settings.ts';

/**
 * The keys of settings files that have an effect. Other keys belong to other programs and are ignored.
 */
export interface Settings {
  readonly model?: string | undefined;
  readonly fallbackModel?: string | readonly string[] | undefined;
  readonly effortLevel?: EffortLevel | undefined;
  /** false: no thinking, for models that can answer without it. */
  readonly alwaysThinkingEnabled?: boolean | undefined;
  /** Sends requests at high speed and a higher price, to models that offer it. */
  readonly fastMode?: boolean | undefined;
  /** Waits out overload and rate limits without limit. */
  readonly persistentRetry?: boolean | undefined;
  /** What must hold when the model says that it is done. */
  readonly verify?: VerifyConditions | undefined;
  /** The judge of the permission mode `auto`, and its limits. */
  readonly autoMode?: AutoMode | undefined;
  /** Language servers, which see errors at once. */
  readonly languageServers?: LanguageServersOption | undefined;
  /** Isolation of commands by the operating system. */
  readonly sandbox?: SandboxSettings | undefined;
  /** When tools of MCP servers are left out of requests until the model searches for them. */
  readonly toolSearch?: ToolSearchMode | undefined;
  /** How long a prompt stays in the cache after its last use. */
  readonly promptCacheTtl?: '5m' | '1h' | undefined;
  /**
   * Sizes, prices, abilities and time limits by model id, for models the built-in list lacks or has wrong.
   */
  readonly models?: Readonly<Record<string, ModelSettings>> | undefined;
  /**
   * A JSON file `{ version, source, models }`; `models` above overrides it. Relative to the working
   * directory.
   */
  readonly modelsFile?: string | undefined;
  readonly permissions?: PermissionSettings | undefined;
  /** Variables: the user's for this run and its child processes, a repository's only for child processes. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /**
   * Names or patterns (`NPM_*`) of variables that child processes may see although they look like secrets.
   */
  readonly childEnvAllow?: readonly string[] | undefined;
  /** A command that prints an API key. */
  readonly apiKeyHelper?: string | undefined;
  /** A command that renews the AWS credentials in the user's files, such as `aws sso login`. */
  readonly awsAuthRefresh?: string | undefined;
  /** A command that prints AWS credentials as JSON. */
  readonly awsCredentialExport?: string | undefined;
  /** A command that renews Google's application default credentials. */
  readonly gcpAuthRefresh?: string | undefined;
  readonly baseUrl?: string | undefined;
  /** Whose model is asked, unless stated otherwise. */
  readonly provider?: string | undefined;
  /** Further providers by name. */
  readonly providers?: Readonly<Record<string, ProviderConfig>> | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly proxyUrl?: string | undefined;
  readonly noProxy?: string | undefined;
  /** A PEM file with further certificate authorities. */
  readonly caFile?: string | undefined;
  readonly autoCompactEnabled?: boolean | undefined;
  /** Tokens. */
  readonly autoCompactWindow?: number | undefined;
  readonly bashOutputMaxChars?: number | undefined;
  /** Hosts that WebFetch may read although only this network reaches them. */
  readonly webFetchPrivateHosts?: readonly string[] | undefined;
  /** Where approved plans are written, from the project's root. */
  readonly plansDirectory?: string | undefined;
  readonly durability?: Durability | undefined;
  /** Keeps the content of files before tools change them, so that it can be restored. */
  readonly fileCheckpointingEnabled?: boolean | undefined;
  /** If present, no other MCP server is used. */
  readonly allowedMcpServers?: readonly McpServerMatch[] | undefined;
  /** Overrides the list above. */
  readonly deniedMcpServers?: readonly McpServerMatch[] | undefined;
  /**
   * Servers of the project's `.mcp.json`: only these, all but those, or all. Default all, once the folder is
   * trusted.
   */
  readonly enabledMcpjsonServers?: readonly string[] | undefined;
  readonly disabledMcpjsonServers?: readonly string[] | undefined;
  readonly enableAllProjectMcpServers?: boolean | undefined;
  /**
   * A tool of a server that changed since it was allowed: `ask` the user again (the default), or `accept` it.
   */
  readonly mcpToolChanges?: 'ask' | 'accept' | undefined;
  /** Only in managed settings: rules of other sources allow nothing. */
  readonly allowManagedPermissionRulesOnly?: boolean | undefined;
  /** Only in managed settings: hooks of other sources do not run. */
  readonly allowManagedHooksOnly?: boolean | undefined;
  /** Only in managed settings: `allowedMcpServers` of other sources is ignored. */
  readonly allowManagedMcpServersOnly?: boolean | undefined;
  /** Hooks of settings and plugins do not run; callbacks of the host do. */
  readonly disableAllHooks?: boolean | undefined;
  /** Patterns of memory files, by absolute path, that are not read. */
  readonly claudeMdExcludes?: readonly string[] | undefined;
  /** Where the memory files of a project may import from. Default `project`. */
  readonly memoryImports?: 'project' | 'anywhere' | undefined;
  /** Adds memory files that are relevant to a prompt, chosen by a small model. */
  readonly relevantMemory?: boolean | RelevantMemorySettings | undefined;
  /** A small model summarises each round of tools in one line. */
  readonly toolUseSummaries?: boolean | undefined;
  /**
   * Of the conversation at a terminal. Other programs have keys of these names, too, so the screen checks the
   * values: none stops a run.
   */
  readonly theme?: unknown;
  readonly reducedMotion?: unknown;
  readonly screenReader?: unknown;
  readonly terminalTitle?: unknown;
  readonly terminalBell?: unknown;
  readonly terminalNotifications?: unknown;
  readonly statusLine?: unknown;
  readonly statusLineParts?: unknown;
  readonly keybindings?: unknown;
  /** Name of the agent that the main thread is. */
  readonly agent?: string | undefined;
  /** Name of an output style. */
  readonly outputStyle?: string | undefined;
  /** Most characters of one description in the list of skills. */
  readonly skillListingMaxDescChars?: number | undefined;
  /** Share of the context window for that list. */
  readonly skillListingBudgetFraction?: number | undefined;
  readonly skillOverrides?:
    | Readonly<Record<string, 'on' | 'name-only' | 'user-invocable-only' | 'off'>>
    | undefined;
  /** By event. */
  readonly hooks?: Readonly<Record<string, readonly HookGroup[]>> | undefined;
  /** Addresses that hooks may post to, `*` for any text; absent: every address. */
  readonly allowedHttpHookUrls?: readonly string[] | undefined;
  /** Variables that headers of hooks may contain; absent: those that a hook lists. */
  readonly httpHookAllowedEnvVars?: readonly string[] | undefined;
}

interface RelevantMemorySettings {
  /** Id or alias; default a small one. */
  readonly model?: string | undefined;
  /** Files for one prompt. */
  readonly maxFiles?: number | undefined;
  /** Total characters of these files. */
  readonly maxChars?: number | undefined;
}

interface HookGroup {
  readonly matcher?: string | null | undefined;
  /** Validated by type in `resolve-hooks.ts`. */
  readonly hooks: readonly Readonly<Record<string, unknown>>[];
}

export type Durability = 'process' | 'power';

export interface ModelSettings {
  /** Tokens, as `maxOutputTokens`. */
  readonly contextWindow?: number | undefined;
  readonly maxOutputTokens?: number | undefined;
  /** false: images are replaced by a text that names them. */
  readonly supportsImages?: boolean | undefined;
  /** false: no tools are sent. */
  readonly supportsTools?: boolean | undefined;
  /** How long the model may read its prompt before the first byte of its answer, ms. */
  readonly firstByteTimeoutMs?: number | undefined;
  /** How long its answer may be silent after that, ms. */
  readonly idleTimeoutMs?: number | undefined;
  /** USD per million tokens. */
  readonly price?:
    | {
        readonly input: number;
        readonly output: number;
        readonly cacheRead: number;
        readonly cacheWrite5m: number;
        readonly cacheWrite1h: number;
        /** Of a models file: its version, and where its figures were published. */
        readonly asOf?: string | undefined;
        readonly publishedAt?: string | undefined;
      }
    | undefined;
}

export interface PermissionSettings {
  readonly allow?: readonly string[] | undefined;
  readonly deny?: readonly string[] | undefined;
  readonly ask?: readonly string[] | undefined;
  readonly defaultMode?: string | undefined;
  readonly additionalDirectories?: readonly string[] | undefined;
  readonly disableBypassPermissionsMode?: 'disable' | undefined;
  readonly disableAutoMode?: 'disable' | undefined;
  /** Denies reading files outside the working directories, regardless of rules and mode. */
  readonly blockReadsOutsideWorkingDirectories?: boolean | undefined;
  readonly blockWritesOutsideWorkingDirectories?: boolean | undefined;
  /** Denies calls instead of asking about them. */
  readonly denyInsteadOfPrompting?: boolean | undefined;
  /** Denies calls that no allow rule names, also in bypassPermissions. */
  readonly allowedToolsOnly?: boolean | undefined;
}

/** Matches an MCP server by name, command or URL (`*` matches anything). */
export interface McpServerMatch {
  readonly serverName?: string | undefined;
  readonly serverCommand?: readonly string[] | undefined;
  readonly serverUrl?: string | undefined;
}

/** A key of settings that has no effect. */
export interface UnknownKey {
  /** With its path: `permissions.alow`. */
  readonly key: string;
  /** The known key that it resembles. */
  readonly meant: string | undefined;
}

/** Settings from one source. Later layers override earlier ones; rules are combined. */
export interface SettingsLayer {
  readonly source: SettingSource | 'flag' | 'managed';
  /** The file, or a description of the source. */
  readonly file: string;
  readonly settings: Settings;
  /** The content of the file, with the keys of other programs. */
  readonly raw?: Readonly<Record<string, unknown>> | undefined;
  /** Keys that have no effect. */
  readonly unknown?: readonly UnknownKey[] | undefined;
  /** What was left out because it cannot be read, by its path in the file. */
  readonly skipped?: readonly string[] | undefined;
  /** Of a repository: the file cannot be used, and nothing of it is in the fields above. */
  readonly unusable?: UnusableFile | undefined;
}

interface UnusableFile {
  /** To be thrown where the project is trusted. */
  readonly error: TurnwrightError;
  /** Of the file's content. */
  readonly hash: string;
}

/** These files can come with the repository, so they do not express the user's decisions. */
export function isRepositoryLayer({ source }: SettingsLayer): boolean {
  return source === 'project' || source === 'local';
}

/**
 * The screen is the user's, and `statusLine` runs a program. Repositories have these keys for other programs,
 * too, so they are ignored, and named only where trust is asked for.
 */
export const SCREEN_KEYS = [
  'statusLine',
  'statusLineParts',
  'theme',
  'reducedMotion',
  'screenReader',
  'terminalTitle',
  'terminalBell',
  'terminalNotifications',
  'keybindings',
] as const satisfies readonly (keyof Settings)[];
