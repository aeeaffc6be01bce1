import type { BaseOptions } from '../../options/options.ts';
import type { EngineOption } from '../../options/table.ts';
import type { ModelInfo } from '../../protocol/model/model.ts';
import type { SessionStateAudience } from '../../protocol/stream/session-messages.ts';
import type { ConfiguredHook, HookPolicy } from '../../protocol/tools/hook-config.ts';
import type {
  PermissionBehavior,
  PermissionLocks,
  PermissionMode,
  PermissionRuleSource,
} from '../../protocol/tools/permission.ts';
import type { Durability, McpServerMatch, Settings } from '../settings-keys.ts';

/**
 * The options as the engine takes them, after environment, settings and defaults: those that need no
 * resolving under their own name, and what the others and the settings come to. `QueryEngineConfig` is these
 * fields, ports and parts.
 */
export interface ResolvedOptions extends Pick<BaseOptions, EngineOption> {
  /** Absolute path that tools resolve against and the journal is filed under. Never `process.chdir`. */
  cwd: string;
  /** Configuration home, under which session files live. Without one no file is written. */
  home?: string | undefined;
  /**
   * Folder of the project, as hooks get it in their environment.
   * @default cwd
   */
  projectRoot?: string | undefined;
  /**
   * When false, no program is started in the folder on the engine's own account.
   * @default true
   */
  projectTrusted?: boolean | undefined;
  /**
   * Environment of the session. Model aliases are looked up in it, and child processes get it without what
   * may be a secret.
   * @default {}
   */
  env?: Readonly<Record<string, string | undefined>> | undefined;
  /**
   * Environment of child processes, taken as it is.
   * @default made from `env`
   */
  childEnv?: Readonly<Record<string, string>> | undefined;

  /** @default https://api.anthropic.com */
  baseUrl?: string | undefined;
  apiKey?: string | undefined;
  /** Origin of the key, for `system/init`. */
  apiKeySource?: string | undefined;
  authToken?: string | undefined;
  /** The variable that asks for a cloud: models of other providers are not asked then. Default none. */
  providerLockedBy?: string | undefined;
  /**
   * true: nothing says how the session's own provider is reached. It is sent no request then: the prompts of
   * a session with a model of another one are not for it.
   */
  isProviderMissing?: boolean | undefined;
  /**
   * What clouds are set up by, and where keys of further providers are found.
   * @default `env`
   */
  providerEnv?: Readonly<Record<string, string | undefined>> | undefined;
  /** Commands that print or renew credentials of clouds. */
  credentialCommands?:
    | Pick<Settings, 'awsAuthRefresh' | 'awsCredentialExport' | 'gcpAuthRefresh'>
    | undefined;
  /** ms after which `credentials` is called for a new credential although the current one works. */
  credentialTtlMs?: number | undefined;
  /** Headers of each request to the model. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** The proxy to the model. */
  proxyUrl?: string | undefined;
  /** Proxies to MCP servers and pages, by the scheme of their address. @default `proxyUrl` for all */
  proxies?: { readonly http: string | undefined; readonly https: string | undefined } | undefined;
  /** Hosts that are reached without the proxy, as the variable `NO_PROXY` lists them. */
  noProxy?: string | undefined;
  /** PEM text of further certificate authorities. */
  ca?: string | undefined;
  /** Limits of a silent stream, in ms (L4.3). */
  timeouts?: Readonly<Record<string, number>> | undefined;
  /** The same of single models, by the name that `modelOverrides` has. They replace those of `timeouts`. */
  modelTimeouts?: Readonly<Record<string, Readonly<Record<string, number>>>> | undefined;
  /**
   * Retries of one request.
   * @default 10
   */
  maxRetries?: number | undefined;
  /**
   * Retries of one request while the endpoint has never answered. Not with `persistentRetry`.
   * @default 4
   */
  unreachedRetries?: number | undefined;

  /**
   * Sends requests at high speed and a higher price, to models that offer it (Opus 4.8 and newer). A rate
   * limit that lasts longer than 20 s suspends it for at least ten minutes. `disabled_by_env`: off, and the
   * messages say why.
   * @default false
   */
  fastMode?: boolean | 'disabled_by_env' | undefined;
  /** Sizes and prices by model id, in place of those of the built-in list. */
  modelOverrides?: Readonly<Record<string, Partial<Omit<ModelInfo, 'id'>>>> | undefined;
  /**
   * Marks requests for the prompt cache.
   * @default true
   */
  promptCaching?: boolean | undefined;
  /**
   * How long cached prompts live after their last use. `1h` costs more to write.
   * @default 5m
   */
  promptCacheTtl?: '5m' | '1h' | undefined;
  /** Further fields of the body of each request. They replace fields of the same name. */
  extraBody?: Readonly<Record<string, unknown>> | undefined;
  /**
   * Limit of one answer in tokens. When it is set it is never escalated.
   * @default 8000, escalating to 64000
   */
  maxOutputTokens?: number | undefined;
  /** Compaction of the conversation. */
  compaction?: { readonly auto?: boolean | undefined; readonly window?: number | undefined } | undefined;

  /** @default default */
  permissionMode?: PermissionMode | undefined;
  /** Rules of settings files and flags, by their source. */
  permissionRules?: PermissionRules | undefined;
  /**
   * Sources of `additionalDirectories`, for reports.
   * @default cliArg for each
   */
  directorySources?: Readonly<Record<string, PermissionRuleSource>> | undefined;
  /** Restrictions that no rule and no mode lifts. */
  permissionLocks?: PermissionLocks | undefined;
  /**
   * Hooks of settings files. They run after the callbacks of their event and before the hooks of plugins.
   * @default none
   */
  configuredHooks?: readonly ConfiguredHook[] | undefined;
  /**
   * What configured hooks may do.
   * @default everything
   */
  hookPolicy?: HookPolicy | undefined;
  /**
   * Stop-hook blocks before they are overridden.
   * @default 8
   */
  stopHookBlockCap?: number | undefined;
  /**
   * Which MCP servers may be used.
   * @default all
   */
  mcpServerPolicy?: McpServerPolicy | undefined;
  /**
   * A tool of a server that changed since it was allowed: `ask` again, or `accept` it.
   * @default ask
   */
  mcpToolChanges?: 'ask' | 'accept' | undefined;
  /**
   * The servers that the first request waits for: every one, or those of the call (`mcpServers`).
   * @default all
   */
  mcpAwaited?: 'all' | 'call' | undefined;
  /** In ms; the defaults are 30 000 and 300 000. */
  mcpTimeouts?:
    | {
        /** Connecting. */
        readonly startMs?: number | undefined;
        /** The silence of a call, unless the server's own configuration sets it. */
        readonly callMs?: number | undefined;
      }
    | undefined;

  /** How WebFetch finds hosts. */
  webFetch?:
    | {
        /** Hosts (`wiki.corp`, `127.0.0.1:8080`) that may be read although only this network reaches them. */
        readonly privateHosts?: readonly string[] | undefined;
      }
    | undefined;
  /**
   * Folder in which approved plans are written; absolute.
   * @default `plans` under `home`
   */
  plansDirectory?: string | undefined;
  /**
   * When false, nothing outlives its call.
   * @default true
   */
  backgroundTasks?: boolean | undefined;
  /**
   * ms after a result without a new prompt until Notification hooks run.
   * @default 60000
   */
  idleNotificationMs?: number | undefined;
  /**
   * Consumers of `session_state_changed` messages.
   * @default none
   */
  sessionState?: SessionStateAudience | undefined;
  /**
   * `process`: survives SIGKILL. `power`: fdatasync at intent and result.
   * @default process
   */
  durability?: Durability | undefined;

  memoryFiles?:
    | {
        /** Patterns of absolute paths that are left out. */
        readonly excludes?: readonly string[] | undefined;
        /**
         * Where the files of a project may import from.
         * @default project
         */
        readonly imports?: 'project' | 'anywhere' | undefined;
      }
    | undefined;
  /**
   * Absolute path of a folder where the model keeps notes from session to session. The system prompt says
   * how, with what its MEMORY.md says; files in it are read and written without asking.
   * @default none
   */
  memoryPath?: string | undefined;
  /**
   * Adds memory files that bear on a prompt behind tool results; a small model chooses them in the
   * background.
   * @default false
   */
  relevantMemory?: Settings['relevantMemory'];
  /**
   * Emits a `tool_use_summary` after rounds of tools, which a small model writes in the background.
   * @default false
   */
  toolUseSummaries?: boolean | undefined;
}

export type ApiKeySource =
  | 'ANTHROPIC_API_KEY'
  | 'ANTHROPIC_AUTH_TOKEN'
  | 'CLAUDE_CODE_OAUTH_TOKEN'
  | 'apiKeyHelper'
  | 'login'
  | 'option'
  | 'none';

export interface McpServerPolicy {
  /** A server must be on each of these lists. */
  readonly allowed: readonly (readonly McpServerMatch[])[];
  readonly denied: readonly McpServerMatch[];
}

type PermissionRules = {
  readonly [S in PermissionRuleSource]?:
    | { readonly [B in PermissionBehavior]?: readonly string[] | undefined }
    | undefined;
};

export const DEFAULT_BASE_URL = 'https://api.anthropic.com';
