/**
 * What a QueryEngine is made of. One resolver (`settings/`) fills the part that options, settings, flags and
 * environment decide about; nothing else reads those, and `cwd` is a value.
 */

import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import type { MediaLimits } from '../context/media/media-limits.ts';
import type { McpServerEntry } from '../mcp/servers/mcp-servers.ts';
import type { BaseOptions } from '../options/options.ts';
import type { AssistantMessage, SystemMessage, ViewMessage } from '../protocol/model/messages.ts';
import type { AttemptRecord, CallModel } from '../protocol/model/model.ts';
import type { Purse } from '../protocol/model/purse.ts';
import type {
  Admission,
  BlobStore,
  Clock,
  Ids,
  Inbox,
  JournalStore,
  LeaseStore,
  RandomPort,
} from '../protocol/ports.ts';
import type { SessionStoreEntry } from '../protocol/session/session-store.ts';
import type { SDKSessionStateChanged } from '../protocol/stream/session-messages.ts';
import type { AgentDefinition } from '../protocol/tools/agent.ts';
import type { Command, CommandSource } from '../protocol/tools/command.ts';
import type { McpStatus, McpToolInfo } from '../protocol/tools/mcp.ts';
import type { PermissionResult } from '../protocol/tools/permission.ts';
import type { AnyTool, ReadFileCache } from '../protocol/tools/tool.ts';
import type { ResolvedOptions } from '../settings/resolve/resolved-options.ts';
import type { SessionSpans } from '../telemetry/session-spans.ts';
import type { RepeatGuardOptions } from '../tools/gate/repeat-guard.ts';
import type { AppState } from './app-state.ts';
import type { CompactionOptions } from './compaction-options.ts';
import type { SettingsAccess } from './host/settings-access.ts';
import type { LanguageSetup } from './language/language-setup.ts';
import type { OutputStyleSetup } from './project/open-output-styles.ts';
import type { PluginSetup } from './project/plugins.ts';
import type { SkillSetup } from './project/session-skills.ts';
import type { SessionSandbox } from './sandbox/session-sandbox.ts';
import type { DebugLog } from './session/debug-log.ts';
import type { SDKStatus } from './session/status-reporter.ts';

export type { AgentDefinition };

/** A connection to an MCP server: its state is shown in `system/init`, its tools join the engine's. */
export interface McpClient {
  readonly name: string;
  readonly status: McpStatus;
  readonly tools?: readonly AnyTool[] | undefined;
  /** What the server said of itself and its tools, for status reports. */
  readonly instructions?: string | undefined;
  readonly serverInfo?: { readonly name: string; readonly version: string } | undefined;
  readonly toolInfos?: readonly McpToolInfo[] | undefined;
  /** Why there is no connection, in a sentence. */
  readonly error?: string | undefined;
  /** Called once, when the session ends. */
  close?(): void | Promise<void>;
}

/** An answer to a permission question that outlived the process that asked it. */
export interface OrphanedPermission {
  readonly permissionResult: PermissionResult & { readonly toolUseID: string };
  /** The message with the call; added to the conversation when it is not there. */
  readonly assistantMessage: AssistantMessage;
}

/** The options as they were resolved, the ports that the engine works through, and its parts. */
export interface QueryEngineConfig extends ResolvedOptions {
  /**
   * The system prompt: a text, several texts (`[]`: none), or the preset with something appended.
   * @default the preset
   */
  systemPrompt?: BaseOptions['systemPrompt'];
  /** Compaction of the conversation (L2). */
  compaction?: CompactionOptions | undefined;

  // The model

  /**
   * The model layer.
   * @default an HTTP client made from `baseUrl` and the credentials
   */
  callModel?: CallModel | undefined;
  /** Called for other credentials when the present ones were refused. */
  credentials?:
    | ((why: 'expired' | 'revoked') => Promise<{ apiKey?: string; authToken?: string } | undefined>)
    | undefined;
  /** The `user-agent` header of requests. */
  userAgent?: string | undefined;
  /**
   * What the provider takes of images, documents and bytes.
   * @default the limits of the Messages API
   */
  mediaLimits?: Partial<MediaLimits> | undefined;
  /**
   * Output tokens per submission to aim at.
   * @default none
   */
  tokenBudget?: { readonly target: number } | undefined;

  // Tools

  /** Every tool the model may see, in the order it sees them. */
  tools: readonly AnyTool[];
  /**
   * Built-in tools that need the session itself, by name: AskUserQuestion, EnterPlanMode, ExitPlanMode,
   * Sleep, WebFetch, WebSearch.
   * @default none
   */
  sessionTools?: readonly string[] | undefined;
  /**
   * Whether agents can be gone on with (SendMessage).
   * @default true
   */
  agentMessages?: boolean | undefined;
  /**
   * Share of the context window, 0 to 1, that the descriptions of MCP tools may take; beyond it requests
   * carry only their names and ToolSearch loads them (F155). 0: always; 1: never. A function chooses for a
   * model.
   * @default 0.1
   */
  deferToolsAbove?: number | ((model: string) => number | undefined) | undefined;
  /** How WebFetch finds hosts, and how long it waits. */
  webFetch?:
    | (NonNullable<ResolvedOptions['webFetch']> & {
        /**
         * Addresses of a host.
         * @default the resolver of the system
         */
        readonly resolve?:
          | ((host: string) => Promise<readonly { readonly address: string; readonly family: number }[]>)
          | undefined;
        /**
         * ms for one page.
         * @default 30000
         */
        readonly timeoutMs?: number | undefined;
      })
    | undefined;
  /**
   * Calls that run at the same time.
   * @default 10
   */
  maxToolConcurrency?: number | undefined;
  /** What is done about a call that repeats with the same result while nothing changes; false: nothing. */
  repeatGuard?: RepeatGuardOptions | false | undefined;
  /**
   * The files that were read, and their state.
   * @default none
   */
  readFileCache?: ReadFileCache | undefined;
  /**
   * Isolation of commands.
   * @default none
   */
  sandbox?: SessionSandbox | undefined;
  /**
   * ms that a query without further input waits for background tasks before it stops them.
   * @default 600000
   */
  backgroundWaitMs?: number | undefined;

  // MCP servers, agents, skills and commands

  /** MCP connections. They come before `mcpServers`. */
  mcpClients?: readonly McpClient[] | undefined;
  /** MCP servers to start or to reach over the network. */
  mcpServers?: readonly McpServerEntry[] | undefined;
  /** Agents that the model may start through the Agent tool. Without any there is no such tool. */
  agents?: readonly AgentDefinition[] | undefined;
  /**
   * The main thread gets only the tools of this one of `agents`. The caller sets its prompt and its model.
   */
  mainAgent?: string | undefined;
  /** Absolute paths that the main thread reads and writes without asking: the memory of its agent. */
  ownDirectories?: readonly string[] | undefined;
  skills?: SkillSetup | undefined;
  /** Names of skills whose text a new conversation begins with. */
  preloadedSkills?: readonly string[] | undefined;
  /** Called with each request to the model that has ended, also with those that failed. */
  onModelRequest?: ((request: AttemptRecord) => void) | undefined;
  /** Slash commands. */
  commands?: readonly Command[] | undefined;
  /** Sources of more slash commands, read when one is first needed: files, skills, plugins. */
  commandSources?: readonly CommandSource[] | undefined;
  /**
   * Local plugins, with their agents and hooks; their skills, commands and MCP servers are in the other
   * fields.
   */
  plugins?: PluginSetup | undefined;
  /** Language servers that are there to be started. */
  language?: LanguageSetup | undefined;
  /** How answers sound, with the preset as system prompt. */
  outputStyles?: OutputStyleSetup | undefined;

  // Permissions and settings

  /** Permission rules, `Tool` or `Tool(specifier)`, besides `permissionRules`. */
  allowRules?: readonly string[] | undefined;
  denyRules?: readonly string[] | undefined;
  askRules?: readonly string[] | undefined;
  /** Handled once, before the first prompt. */
  orphanedPermission?: OrphanedPermission | undefined;
  /**
   * Reads the answers that came to these questions of an earlier process and are not in its journal, by their
   * ids. Each decides about its call when the submission is carried on, even if the call would not be asked
   * about any more.
   */
  earlierAnswers?: ((askIds: readonly string[]) => Promise<ReadonlyMap<string, unknown>>) | undefined;
  /** Reads and writes settings while the session runs. Without it updates hold in memory alone. */
  settingsAccess?: SettingsAccess | undefined;

  // The session

  /** A conversation to start from. It is written to the journal of the new session. */
  initialMessages?: readonly ViewMessage[] | undefined;
  /**
   * Takes the session from a process that works on it; that process ends without a message.
   * @default false
   */
  takeOver?: boolean | undefined;
  /**
   * Where the session cannot be written, a new one runs without being kept, which is said. Default: it is
   * refused.
   */
  mayGoUnkept?: boolean | undefined;
  /**
   * Folder of the session files.
   * @default that of `cwd` under `home`
   */
  sessionsDirectory?: string | undefined;
  /** Storage of the session. */
  store?: JournalStore | undefined;
  /** Called after each write to the session's files. */
  onTranscript?: ((filePath: string, entries: readonly SessionStoreEntry[]) => void) | undefined;
  /**
   * Called with each `session_state_changed` message, in place of the consumer of messages. Without it the
   * consumer gets those that are for everyone.
   */
  onSessionState?: ((message: SDKSessionStateChanged) => void) | undefined;
  /**
   * Prompts may arrive while a submission runs, so Sleep is offered.
   * @default whether there is an `inbox`
   */
  promptsWhileWorking?: boolean | undefined;

  // The host

  /** Reads the state that host and engine share (permission mode, todos), at the start of each submission. */
  getAppState?: (() => AppState) | undefined;
  /** Changes that state. Called when todos or the permission mode change. */
  setAppState?: ((update: (previous: AppState) => AppState) => void) | undefined;
  /** Called with each state of the engine's state machine. */
  setSDKStatus?: ((status: SDKStatus) => void) | undefined;
  /**
   * Called with each snip boundary and with what the engine still holds, so that a host can edit its own copy
   * alike.
   */
  snipReplay?: ((boundary: SystemMessage, store: readonly ViewMessage[]) => void) | undefined;
  /** `/clear` says this and clears nothing: others know the session by its id. */
  noClear?: string | undefined;
  /**
   * Emits attachments of the loop, and misses of the prompt cache, as informational messages.
   * @default false
   */
  verbose?: boolean | undefined;
  /** What of the settings is not in force, said once on the stream; one sentence each. */
  startNotices?: readonly string[] | undefined;
  /** Receives a log of what the session does. */
  debug?: DebugLog | undefined;
  /** Makes spans of what the session does: what `tracing` of `query()` is resolved to. */
  spans?: SessionSpans | undefined;

  // Ports, by default those of this machine

  leases?: LeaseStore | undefined;
  /**
   * Contents of files before they were changed, and large tool results of a session without a folder of its
   * own.
   * @default files beside the journal
   */
  blobs?: BlobStore | undefined;
  inbox?: Inbox | undefined;
  admission?: Admission | undefined;
  /** Money that this session shares with others: each attempt at a model call is paid from it. */
  purse?: Purse | undefined;
  files?: PersistentFiles | undefined;
  clock?: Clock | undefined;
  ids?: Ids | undefined;
  random?: RandomPort | undefined;
}
