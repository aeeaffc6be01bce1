import type { SettingSource } from '../../options/option-values.ts';
import type { EffortLevel, ThinkingConfig } from '../../protocol/model/wire.ts';
import type { SessionStateAudience } from '../../protocol/stream/session-messages.ts';
import type { ConfiguredHook, HookPolicy } from '../../protocol/tools/hook-config.ts';
import type {
  PermissionBehavior,
  PermissionMode,
  PermissionRuleSource,
} from '../../protocol/tools/permission.ts';
import type { Servers } from '../read/mcp-file.ts';
import type { UserServers } from '../read/user-servers.ts';
import type { Durability, McpServerMatch, ModelSettings, Settings, SettingsLayer } from '../settings.ts';
import type { ProjectTrust } from '../trust/trust.ts';
import type { ResolvedSandbox } from './resolve-sandbox.ts';

/** Everything the engine and its rooms need to know, resolved once. Plain data. */
export interface ResolvedConfig {
  readonly cwd: string;
  /** Where user settings and sessions live; undefined: nowhere. */
  readonly configHome: string | undefined;
  /** Where project and local settings are looked for. */
  readonly projectRoot: string;
  /** What `~` means. */
  /** Absolute: what files of the project must really lie in. */
  readonly repositoryRoot: string;
  readonly homeDirectory: string | undefined;
  readonly settingSources: readonly SettingSource[];
  /** What was read, weakest first, after what may not be said there was taken out. */
  readonly layers: readonly SettingsLayer[];
  /** The settings files as they were read, before anything that a repository may not say was taken out. */
  readonly filesRead: readonly SettingsLayer[];
  /** Whether the project's files may do more than restrict, and what they ask for. */
  readonly project: {
    readonly trusted: boolean;
    /** Whether its shared settings may allow tools: by a name among the sources alone they may not. */
    readonly mayAllow: boolean;
    /** Whether a folder above or below is trusted, whose skills are read too: each is agreed to by itself. */
    trusts(folder: string): Promise<boolean>;
    /** undefined if the record of trust was not requested. */
    readonly trust: ProjectTrust | undefined;
    /** Of `.mcp.json`, as they are written; undefined when there is none, or it may not be used. */
    readonly mcpServers: Servers | undefined;
  };
  /** Of the user's own file, as far as its sources are read. */
  readonly userServers: UserServers;
  /** The settings files that were found and read. */
  readonly settingsFiles: readonly string[];
  /** What was passed over, one sentence each. */
  readonly warnings: readonly string[];

  /** Id or alias; undefined: the built-in default. */
  readonly model: string | undefined;
  readonly fallbackModels: readonly string[];
  /** The variables that say what an alias means. */
  readonly modelAliases: Readonly<Record<string, string>>;
  readonly modelOverrides: Readonly<Record<string, ModelSettings>>;
  readonly thinking: ThinkingConfig | undefined;
  readonly effort: EffortLevel | undefined;
  /** Absolute; undefined: the main conversation keeps no notes. */
  readonly memoryPath: string | undefined;
  readonly betas: readonly string[];
  readonly extraBody: Readonly<Record<string, unknown>> | undefined;
  readonly promptCaching: boolean;
  readonly promptCacheTtl: '5m' | '1h' | undefined;
  readonly fastMode: boolean | 'disabled_by_env';
  readonly persistentRetry: boolean;
  /** Variables that ask for a wire other than the Messages API. */
  readonly otherProviders: readonly string[];
  /** How commands are isolated; undefined: they are not. */
  readonly sandbox: ResolvedSandbox | undefined;
  /** A credential or an address was given: there is something to ask. */
  readonly isModelConfigured: boolean;

  readonly apiKey: string | undefined;
  readonly authToken: string | undefined;
  /** A command that prints an API key; undefined when a key is given. */
  readonly apiKeyHelper: string | undefined;
  readonly apiKeySource: ApiKeySource;
  /** Without a trailing slash. */
  readonly baseUrl: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly proxy: { readonly url: string | undefined; readonly noProxy: string | undefined };
  /** PEM text of further certificate authorities. */
  readonly ca: string | undefined;

  readonly permissions: ResolvedPermissions;
  readonly policy: ResolvedPolicy;
  readonly hooks: { readonly configured: readonly ConfiguredHook[]; readonly policy: HookPolicy };
  /** Built-in tools that are not offered to the model: bare names in `disallowedTools`. */
  readonly removedTools: readonly string[];
  /** false: nothing outlives its call. */
  readonly backgroundTasks: boolean;
  /** Who gets `session_state_changed` messages; undefined: no one. */
  readonly sessionState: SessionStateAudience | undefined;
  /** What tools change is kept first. */
  readonly fileCheckpointing: boolean;
  /** Share of the window, 0 to 1; undefined: the engine's default. */
  readonly deferToolsAbove: number | undefined;
  readonly questionPreviewFormat: 'markdown' | 'html' | undefined;
  readonly webFetchPrivateHosts: readonly string[];
  /** Absolute; undefined: under the configuration home. */
  readonly plansDirectory: string | undefined;
  /** The whole environment of child processes. */
  readonly env: Readonly<Record<string, string>>;

  readonly limits: {
    readonly maxTurns: number | undefined;
    readonly maxBudgetUsd: number | undefined;
    readonly taskBudget: { readonly total: number } | undefined;
    readonly maxRetries: number | undefined;
    readonly unreachedRetries: number | undefined;
    readonly stopHookBlockCap: number | undefined;
  };
  readonly outputCaps: {
    /** Tokens; set: never escalated. */
    readonly maxOutputTokens: number | undefined;
    readonly bashMaxChars: number | undefined;
  };
  readonly compaction: { readonly auto: boolean; readonly window: number | undefined };
  /** All in ms; undefined: the room's own default. */
  readonly timeouts: {
    readonly headersMs: number | undefined;
    readonly firstByteMs: number | undefined;
    readonly bashDefaultMs: number | undefined;
    readonly bashMaxMs: number | undefined;
    readonly mcpStartMs: number | undefined;
    readonly mcpToolMs: number | undefined;
    readonly idleNotificationMs: number | undefined;
  };
  readonly durability: Durability;
  readonly memoryFiles: {
    readonly excludes: readonly string[];
    readonly imports: 'project' | 'anywhere';
  };
  /** Helpers of the model; undefined: off. */
  readonly relevantMemory: Settings['relevantMemory'];
  readonly toolUseSummaries: boolean | undefined;
  readonly promptSuggestions: boolean;
  readonly agentProgressSummaries: boolean;
  /** false: what the repository brings along may restrict, and not allow or run anything. */
  readonly projectTrusted: boolean;
  /** undefined: the default one. */
  readonly outputStyle: string | undefined;
  readonly skills: {
    /** Where those of the project are looked for, and whether they may allow tools; undefined: they are not read. */
    readonly project:
      | { readonly root: string; readonly trusted: boolean; trusts(folder: string): Promise<boolean> }
      | undefined;
    /** Whether those of the configuration home are read. */
    readonly user: boolean;
    readonly maxDescriptionChars: number | undefined;
    readonly budgetFraction: number | undefined;
    readonly overrides: NonNullable<Settings['skillOverrides']>;
  };
}

export type ApiKeySource = 'ANTHROPIC_API_KEY' | 'ANTHROPIC_AUTH_TOKEN' | 'apiKeyHelper' | 'option' | 'none';

/** What settings forbid beyond permissions. */
export interface ResolvedPolicy {
  readonly mcpServers: McpServerPolicy;
  readonly projectServers: ProjectServerPolicy;
  readonly mcpToolChanges: 'ask' | 'accept' | undefined;
}

/** Which servers of a trusted project's `.mcp.json` are used. */
export interface ProjectServerPolicy {
  /** undefined: all of them. */
  readonly enabled: readonly string[] | undefined;
  readonly disabled: readonly string[];
}

export interface McpServerPolicy {
  /** A server must be on each of these lists. */
  readonly allowed: readonly (readonly McpServerMatch[])[];
  readonly denied: readonly McpServerMatch[];
}

export interface ResolvedPermissions {
  readonly mode: PermissionMode;
  readonly allowDangerouslySkipPermissions: boolean;
  readonly rules: {
    readonly [S in PermissionRuleSource]?: { readonly [B in PermissionBehavior]: readonly string[] };
  };
  /** Absolute. */
  readonly additionalDirectories: readonly string[];
  /** Where each of them is from. */
  readonly directorySources: Readonly<Record<string, PermissionRuleSource>>;
  readonly locks: {
    readonly managedRulesOnly: boolean;
    readonly blockReadsOutside: boolean;
    readonly blockWritesOutside: boolean;
    readonly allowedToolsOnly: boolean;
    readonly denyInsteadOfPrompting: boolean;
  };
}

export const DEFAULT_BASE_URL = 'https://api.anthropic.com';
