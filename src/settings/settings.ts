import type { SettingSource, ToolSearchMode } from '../options/option-values.ts';
import type { ProviderConfig } from '../protocol/model/provider.ts';
import type { EffortLevel } from '../protocol/model/wire.ts';
import type { SandboxSettings } from './resolve/sandbox-settings.ts';

/**
 * What a settings file may say and Turnwright heeds. Other keys belong to other programs and are passed over.
 */
export interface Settings {
  readonly model?: string | undefined;
  readonly fallbackModel?: string | readonly string[] | undefined;
  readonly effortLevel?: EffortLevel | undefined;
  /** false: no thinking where the model can do without. */
  readonly alwaysThinkingEnabled?: boolean | undefined;
  /** Requests at high speed and a higher price, of models that offer it. */
  readonly fastMode?: boolean | undefined;
  /** Overload and rate limits are waited out without limit. */
  readonly persistentRetry?: boolean | undefined;
  /** Isolation of commands by the system. */
  readonly sandbox?: SandboxSettings | undefined;
  /** When tools of MCP servers are left out of requests until the model looks for them. */
  readonly toolSearch?: ToolSearchMode | undefined;
  /** How long a prompt stays in the cache after its last use. */
  readonly promptCacheTtl?: '5m' | '1h' | undefined;
  /** Sizes and prices by model id, for models the built-in list lacks or has wrong. */
  readonly models?: Readonly<Record<string, ModelSettings>> | undefined;
  /**
   * A JSON file `{ version, source, models }`; `models` above beats it. Relative to the working directory.
   */
  readonly modelsFile?: string | undefined;
  readonly permissions?: PermissionSettings | undefined;
  /** Variables: a user's for this run and its child processes, a repository's for child processes alone. */
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
  /** What tools change is kept first, so that it can be put back. */
  readonly fileCheckpointingEnabled?: boolean | undefined;
  /** Present: no other MCP server is used. */
  readonly allowedMcpServers?: readonly McpServerMatch[] | undefined;
  /** Beats the list above. */
  readonly deniedMcpServers?: readonly McpServerMatch[] | undefined;
  /**
   * Servers of the project's `.mcp.json`: these alone, none of those, or all. Default all, once the folder is
   * trusted.
   */
  readonly enabledMcpjsonServers?: readonly string[] | undefined;
  readonly disabledMcpjsonServers?: readonly string[] | undefined;
  readonly enableAllProjectMcpServers?: boolean | undefined;
  /**
   * A tool of a server that changed since it was allowed: `ask` a person again (the default), or `accept` it.
   */
  readonly mcpToolChanges?: 'ask' | 'accept' | undefined;
  /** Of managed settings: no other source's rule allows anything. */
  readonly allowManagedPermissionRulesOnly?: boolean | undefined;
  /** Of managed settings: no other source's hooks run. */
  readonly allowManagedHooksOnly?: boolean | undefined;
  /** Of managed settings: no other source's `allowedMcpServers` counts. */
  readonly allowManagedMcpServersOnly?: boolean | undefined;
  /** Hooks of settings and plugins do not run; callbacks of the host do. */
  readonly disableAllHooks?: boolean | undefined;
  /** Patterns of memory files, by absolute path, that are not read. */
  readonly claudeMdExcludes?: readonly string[] | undefined;
  /** Where the memory files of a project may import from. Default `project`. */
  readonly memoryImports?: 'project' | 'anywhere' | undefined;
  /** Memory files that bear on a prompt come in, chosen by a small model. */
  readonly relevantMemory?: boolean | RelevantMemorySettings | undefined;
  /** A small model says in one line what each round of tools came to. */
  readonly toolUseSummaries?: boolean | undefined;
  /** Name of an output style. */
  readonly outputStyle?: string | undefined;
  /** Of one description in the list of skills. */
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
  /** Variables that headers of hooks may name at all; absent: whatever a hook lists. */
  readonly httpHookAllowedEnvVars?: readonly string[] | undefined;
}

interface RelevantMemorySettings {
  /** Id or alias; default a small one. */
  readonly model?: string | undefined;
  /** Files for one prompt. */
  readonly maxFiles?: number | undefined;
  /** Characters of them together. */
  readonly maxChars?: number | undefined;
}

interface HookGroup {
  readonly matcher?: string | null | undefined;
  /** Read, type by type, in `resolve-hooks.ts`. */
  readonly hooks: readonly Readonly<Record<string, unknown>>[];
}

export type Durability = 'process' | 'power';

export interface ModelSettings {
  readonly contextWindow?: number | undefined;
  readonly maxOutputTokens?: number | undefined;
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
  /** No file outside the working directories is read, whatever rules and mode say. */
  readonly blockReadsOutsideWorkingDirectories?: boolean | undefined;
  readonly blockWritesOutsideWorkingDirectories?: boolean | undefined;
  /** Questions are not asked: such calls are denied. */
  readonly denyInsteadOfPrompting?: boolean | undefined;
  /** What no allow rule names is denied, also in bypassPermissions. */
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
  /** The known key that it looks like. */
  readonly meant: string | undefined;
}

/** Settings from one place. Later layers beat earlier ones; rules add up. */
export interface SettingsLayer {
  readonly source: SettingSource | 'flag' | 'managed';
  /** The file, or words for where it came from. */
  readonly file: string;
  readonly settings: Settings;
  /** As the file says it, with the keys that are not ours. */
  readonly raw?: Readonly<Record<string, unknown>> | undefined;
  /** Keys that have no effect. */
  readonly unknown?: readonly UnknownKey[] | undefined;
}

/** The repository can bring these files along: they are not the user's word. */
export function isRepositoryLayer({ source }: SettingsLayer): boolean {
  return source === 'project' || source === 'local';
}
