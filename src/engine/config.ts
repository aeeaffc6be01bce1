/**
 * What a QueryEngine is made of. One resolver (`settings/`) fills it from options, settings, flags and
 * environment; nothing else reads those, and `cwd` is a value. The first block carries the names of the
 * published table (L1), the second is ours.
 */

import type { MediaLimits } from '../context/media/media-limits.ts';
import type { McpServerEntry } from '../mcp/servers/mcp-servers.ts';
import type { RelevantMemoryLimits } from '../memory/relevant-memory.ts';
import type { BaseOptions } from '../options/options.ts';
import type { EngineOption } from '../options/table.ts';
import type { PermissionLocks } from '../permissions/permission-engine.ts';
import type { PersistentFiles } from '../protocol/files.ts';
import type { AssistantMessage, SystemMessage, ViewMessage } from '../protocol/model/messages.ts';
import type { CallModel } from '../protocol/model/model.ts';
import type { Admission, BlobStore, Clock, Ids, Inbox, LeaseStore, RandomPort } from '../protocol/ports.ts';
import type { AgentDefinition } from '../protocol/tools/agent.ts';
import type { Command, CommandSource } from '../protocol/tools/command.ts';
import type { ConfiguredHook, HookPolicy } from '../protocol/tools/hook-config.ts';
import type {
  PermissionBehavior,
  PermissionMode,
  PermissionResult,
  PermissionRuleSource,
} from '../protocol/tools/permission.ts';
import type { AnyTool, ReadFileCache } from '../protocol/tools/tool.ts';
import type { McpServerPolicy } from '../settings/resolve/resolved-config.ts';
import type { RepeatGuardOptions } from '../tools/gate/repeat-guard.ts';
import type { AppState } from './app-state.ts';
import type { CompactionOptions } from './compaction-options.ts';
import type { SettingsAccess } from './host/settings-access.ts';
import type { McpClient } from './mcp-client.ts';
import type { ModelOptions } from './models/model-options.ts';
import type { OutputStyleSetup } from './project/output-styles.ts';
import type { PluginSetup } from './project/plugins.ts';
import type { SkillSetup } from './project/session-skills.ts';
import type { SessionSandbox } from './sandbox/session-sandbox.ts';
import type { DebugLog } from './session/debug-log.ts';
import type { SDKStatus } from './session/status-reporter.ts';
import type { SessionConfig } from './session-config.ts';
import type { ToolOptions } from './tool-options.ts';

export type { AgentDefinition, McpClient };

/** An answer to a permission question that outlived the process that asked it. */
export interface OrphanedPermission {
  readonly permissionResult: PermissionResult & { readonly toolUseID: string };
  /** The message with the call; added to the conversation when it is not there. */
  readonly assistantMessage: AssistantMessage;
}

/**
 * The options that the engine takes as they are, the ports that it works through, and what settings and files were
 * resolved to.
 */
export interface QueryEngineConfig
  extends Pick<BaseOptions, EngineOption>,
    ModelOptions,
    ToolOptions,
    SessionConfig {
  /**
   * The system prompt: a text, several texts (`[]`: none), or the preset with something appended.
   * @default the preset
   */
  systemPrompt?: BaseOptions['systemPrompt'];
  /** Absolute path that tools resolve against and the journal is filed under. Never `process.chdir`. */
  cwd: string;
  /** Every tool the model may see, in the order it sees them. */
  tools: readonly AnyTool[];
  /** Slash commands; default none. */
  commands?: readonly Command[] | undefined;
  /** More of them, read when they are first asked for: files, skills, plugins. Default none. */
  commandSources?: readonly CommandSource[] | undefined;
  /** Skills; default none. */
  skills?: SkillSetup | undefined;
  /** Local plugins, with their agents and hooks; their skills, commands and MCP servers are in the other fields. Default none. */
  plugins?: PluginSetup | undefined;
  /** How answers sound, with Turnwright's own system prompt; default its own way. */
  outputStyles?: OutputStyleSetup | undefined;
  /** MCP connections; default none. */
  mcpClients?: readonly McpClient[] | undefined;
  /** MCP servers to start or to reach over the network; default none. `mcpClients` come before them. */
  mcpServers?: readonly McpServerEntry[] | undefined;
  /** ms; defaults 30 000, 300 000 and 3 000. */
  mcpTimeouts?:
    | {
        /** Connecting. */
        readonly startMs?: number | undefined;
        /** The silence of a call, where the server's own configuration does not say. */
        readonly callMs?: number | undefined;
        /** What the first request waits for servers that are not ready yet. */
        readonly firstRequestMs?: number | undefined;
      }
    | undefined;
  /** Agents that the model may start through the Agent tool; default none, and no such tool. */
  agents?: readonly AgentDefinition[] | undefined;
  /** Reads the state host and engine share (permission mode, todos); read at the head of each submission. */
  getAppState?: (() => AppState) | undefined;
  /** Changes that state; called when todos or the permission mode change. */
  setAppState?: ((update: (previous: AppState) => AppState) => void) | undefined;
  /** A conversation to start from. Written to the journal of the new session. */
  initialMessages?: readonly ViewMessage[] | undefined;
  /** Which files were read, and in what state; default a fresh one. */
  readFileCache?: ReadFileCache | undefined;
  /** Shows attachments of the loop, and misses of the prompt cache, as informational messages. Default false. */
  verbose?: boolean | undefined;
  /** Told about each state of the engine's state machine. */
  setSDKStatus?: ((status: SDKStatus) => void) | undefined;
  /** Handled once, before the first prompt. */
  orphanedPermission?: OrphanedPermission | undefined;
  /** Told about each snip boundary, with what the engine still holds, so that a host can splice its own copy alike. */
  snipReplay?: ((boundary: SystemMessage, store: readonly ViewMessage[]) => void) | undefined;

  leases?: LeaseStore | undefined;
  blobs?: BlobStore | undefined;
  inbox?: Inbox | undefined;
  admission?: Admission | undefined;
  files?: PersistentFiles | undefined;
  clock?: Clock | undefined;
  ids?: Ids | undefined;
  random?: RandomPort | undefined;

  /** The model layer; default an HTTP client made from the fields below. */
  callModel?: CallModel | undefined;
  /** Default `https://api.anthropic.com`. */
  baseUrl?: string | undefined;
  apiKey?: string | undefined;
  /** Where the key came from, for `system/init`. */
  apiKeySource?: string | undefined;
  authToken?: string | undefined;
  headers?: Readonly<Record<string, string>> | undefined;
  credentials?:
    | ((why: 'expired' | 'revoked') => Promise<{ apiKey?: string; authToken?: string } | undefined>)
    | undefined;
  proxyUrl?: string | undefined;
  noProxy?: string | undefined;
  ca?: string | undefined;
  userAgent?: string | undefined;
  /** Limits of a silent stream, ms (L4.3). */
  timeouts?: Readonly<Record<string, number>> | undefined;
  /** What the provider takes of images, documents and bytes; default the Messages API's own limits. */
  mediaLimits?: Partial<MediaLimits> | undefined;
  /** Output cap in tokens; when set it is never escalated. Default 8 000, escalating to 64 000. */
  maxOutputTokens?: number | undefined;
  /** Output tokens per submission to aim at; default off. */
  tokenBudget?: { readonly target: number } | undefined;
  /** Refuse a call whose worst case would cross the budget. Default false. */
  strictBudget?: boolean | undefined;
  /** Stop-hook blocks before they are overridden; default 8. */
  stopHookBlockCap?: number | undefined;
  /** ms after a result without a new prompt until Notification hooks hear of it; default 60 000. */
  idleNotificationMs?: number | undefined;

  permissionMode?: PermissionMode | undefined;
  /** Permission rules, `Tool` or `Tool(specifier)`. */
  allowRules?: readonly string[] | undefined;
  denyRules?: readonly string[] | undefined;
  askRules?: readonly string[] | undefined;
  /** Rules of settings files and flags, by where they come from; the three lists above come on top. */
  permissionRules?: PermissionRules | undefined;
  /** Where each of them is from, for reports; default `cliArg`. */
  directorySources?: Readonly<Record<string, PermissionRuleSource>> | undefined;
  /** Restrictions that no rule and no mode lifts; default none. */
  permissionLocks?: PermissionLocks | undefined;
  /** Reads and writes settings while the session runs; default none: updates then hold in memory alone. */
  settingsAccess?: SettingsAccess | undefined;
  /** Which MCP servers may be used; default all. */
  mcpServerPolicy?: McpServerPolicy | undefined;
  /** A tool of a server that changed since it was allowed: `ask` (the default) a person again, or `accept` it. */
  mcpToolChanges?: 'ask' | 'accept' | undefined;
  /** Hooks of settings files; they come after the callbacks of their event, and before those of plugins. Default none. */
  configuredHooks?: readonly ConfiguredHook[] | undefined;
  /** What configured hooks may do; default everything. */
  hookPolicy?: HookPolicy | undefined;
  /** What hooks are told is the project's folder; default `cwd`. */
  projectRoot?: string | undefined;
  /** The session's environment; default empty. Model aliases are looked up in it, and child processes get it without what may be a secret. */
  env?: Readonly<Record<string, string | undefined>> | undefined;
  /** The environment of child processes, taken as it is; default made from `env`. */
  childEnv?: Readonly<Record<string, string>> | undefined;
  /** Isolation of commands; default none. */
  sandbox?: SessionSandbox | undefined;
  /** false: no program is started in the folder on the engine's own account. Default true. */
  projectTrusted?: boolean | undefined;
  /** Memory files that are left out, as patterns of absolute paths; and where a project's may import from, default `project`. */
  memoryFiles?:
    | {
        readonly excludes?: readonly string[] | undefined;
        readonly imports?: 'project' | 'anywhere' | undefined;
      }
    | undefined;
  /** Hears what the session does; default nobody. */
  debug?: DebugLog | undefined;
  /** Compaction and its switches (L2). */
  compaction?: CompactionOptions | undefined;
  /** false: nothing outlives its call. Default true. */
  backgroundTasks?: boolean | undefined;
  /** ms that a query without further input waits for background tasks before it stops them; default 600 000. */
  backgroundWaitMs?: number | undefined;
  /** The main thread gets the tools of this one of `agents` only. Its prompt and model are the caller's to set. */
  mainAgent?: string | undefined;
  /** Absolute paths that the main thread reads and writes without being asked: its agent's memory. Default none. */
  ownDirectories?: readonly string[] | undefined;
  /**
   * Absolute path of a folder where the model keeps notes from session to session. The system prompt says how, with what
   * its MEMORY.md says; files in it are read and written without being asked about. Default none.
   */
  memoryPath?: string | undefined;
  /** Names of skills whose text a new conversation begins with; default none. */
  preloadedSkills?: readonly string[] | undefined;
  /** A `tool_use_summary` line after rounds of tools, by a small model in the background; default false. */
  toolUseSummaries?: boolean | undefined;
  /** Memory files that bear on a prompt come behind tool results, chosen by a small model in the background; default false. */
  relevantMemory?: boolean | RelevantMemoryChoice | undefined;
  /** Calls that run at the same time; default 10. */
  maxToolConcurrency?: number | undefined;
  /** What is done about a call that repeats with the same result while nothing changes; false: nothing. */
  repeatGuard?: RepeatGuardOptions | false | undefined;
}

interface RelevantMemoryChoice extends RelevantMemoryLimits {
  /** Id or alias of the model that chooses; default a small one. */
  readonly model?: string | undefined;
}

type PermissionRules = {
  readonly [S in PermissionRuleSource]?:
    | { readonly [B in PermissionBehavior]?: readonly string[] | undefined }
    | undefined;
};
