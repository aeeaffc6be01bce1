/** Methods of a query that inspect and change the session, besides the turns. */

import type { RunForecast, SessionUsage } from '../../engine/host/host-controls.ts';
import type { HostFile, HostFileOptions } from '../../engine/host/host-files.ts';
import type { ReloadedPlugins, ReloadPluginsOptions } from '../../engine/host/reload-plugins.ts';
import type { McpAnswer, McpCall, McpResource, McpResourceContents } from '../../engine/host/session-mcp.ts';
import type { PermissionRulesState, SessionSettings } from '../../engine/host/session-settings.ts';
import type { TaskOutputTail } from '../../engine/host/session-tasks.ts';
import type { SideQuestion } from '../../engine/host/side-question.ts';
import type { SetServersResult } from '../../mcp/servers/mcp-servers.ts';
import type { RewindFilesResult } from '../../protocol/session/file-history.ts';
import type { ContextSize, ContextUsage } from '../../protocol/stream/context-usage.ts';
import type { SlashCommandInfo } from '../../protocol/stream/session-messages.ts';
import type { HooksListing } from '../../protocol/tools/hook-config.ts';
import type { LanguageServerStatus } from '../../protocol/tools/language.ts';
import type { McpServerStatus } from '../../protocol/tools/mcp.ts';
import type { PermissionUpdate } from '../../protocol/tools/permission.ts';
import type { McpServerConfig } from '../mcp/mcp-server-config.ts';

export type { McpAnswer, McpCall, McpResource, RunForecast, SessionUsage, SideQuestion };

/** Methods of a running session. They may be called between and during submissions. */
export interface SessionMethods {
  /** All configured servers, with their connection state and tools. */
  mcpServerStatus(): Promise<readonly McpServerStatus[]>;
  /** Rejects with the reason when the connection fails. */
  reconnectMcpServer(name: string): Promise<void>;
  /** Switched off, its tools are missing from the next request on. */
  toggleMcpServer(name: string, on: boolean): Promise<void>;
  /**
   * Replaces the servers of an earlier call and all in-process servers of the host (`type: 'sdk'`). A server
   * of options or files stays until a call names it.
   *
   * @example
   * ```ts
   * const running = query({ prompt: 'Which files are in /work?' });
   * const { added, errors } = await running.setMcpServers({
   *   files: { command: 'npx', args: ['-y', '@modelcontextprotocol/server-filesystem', '/work'] },
   * });
   * ```
   */
  setMcpServers(servers: Readonly<Record<string, McpServerConfig>>): Promise<SetServersResult>;
  /**
   * Reads a `ui://` resource of a connected server, to be shown in a sandboxed frame. Rejects with the
   * reason.
   */
  readMcpResource(server: string, uri: string): Promise<McpResourceContents>;
  /** Resources of the connected servers: `@server:uri` in a prompt brings one along. At most 1,000. */
  mcpResources(): Promise<readonly McpResource[]>;
  /**
   * Calls of this server require a question even where the mode would allow them; null: as in the mode. Never
   * allows more. `auto` requires a question too, because there is no classifier.
   */
  setMcpPermissionModeOverride(
    server: string,
    mode: 'default' | 'auto' | null,
  ): Promise<{ readonly warning?: string }>;
  /**
   * Calls a tool of a server outside the conversation. Rejects with `mcp_call_failed` when it did not run or
   * failed; with `softErrorResult`, what a server says of a failure is the answer.
   */
  callMcpTool(call: McpCall, signal?: AbortSignal): Promise<McpAnswer>;
  /** Rescans skills; the model is notified of changes with the next prompt. */
  reloadSkills(): Promise<{ readonly skills: readonly SlashCommandInfo[] }>;
  /**
   * Renames the session. Rejects with `invalid_option` for an empty title, and when `sessionId` names another
   * session.
   */
  renameSession(title: string, which?: { readonly sessionId?: string | undefined }): Promise<void>;
  /** Reloads the plugins; see `ReloadPluginsOptions`. */
  reloadPlugins(options?: ReloadPluginsOptions): Promise<ReloadedPlugins>;
  /** The hooks of this session: callbacks, and those of settings and plugins. */
  hooksListing(): Promise<HooksListing>;
  /** The language servers of this session, started or not. */
  languageServers(): Promise<readonly LanguageServerStatus[]>;
  /**
   * Reads a file under the rules of the Read tool; null if it does not exist, or reading needs a question.
   */
  readFile(path: string, options?: HostFileOptions): Promise<HostFile | null>;
  /**
   * Registers that the model has seen this file as it was at `mtime` (ms), though its context no longer shows
   * it.
   */
  seedReadState(path: string, mtime: number): Promise<void>;
  /** Paths in the working directory that match the beginning of a mention; folders end in a slash. */
  fileSuggestions(query: string): Promise<readonly string[]>;
  /**
   * Restores files that Write, Edit and NotebookEdit have changed since this user message, also in subagents;
   * files that they created are removed. Files that another program changed since are left unchanged and
   * named. Needs `enableFileCheckpointing`. `dryRun`: only reports what would change.
   *
   * @example
   * ```ts
   * const options: Options = { resume: sessionId, enableFileCheckpointing: true };
   * const running = query({ prompt: 'Rename it.', options });
   * const [first] = await sessionPrompts(sessionId);
   * if (first !== undefined) console.log(await running.rewindFiles(first.uuid, { dryRun: true }));
   * ```
   */
  rewindFiles(
    userMessageId: string,
    options?: { readonly dryRun?: boolean | undefined },
  ): Promise<RewindFilesResult>;
  /**
   * Answers a question from the conversation, also while a submission runs. Neither question nor answer
   * becomes a part of it, and no tool runs; the cost is the session's. Rejects with the reason when there is
   * no answer.
   *
   * @example
   * ```ts
   * const running = query({ prompt: 'Fix the test.' });
   * console.log(await running.askAside({ question: 'Which file is it in?' }));
   * ```
   */
  askAside(question: SideQuestion): Promise<string>;
  /**
   * Usage of the context window, by category.
   *
   * @example
   * ```ts
   * const running = query({ prompt: 'Read the README.' });
   * for await (const message of running)
   *   if (message.type === 'assistant') console.log(await running.getContextSize());
   * ```
   */
  getContextUsage(): Promise<ContextUsage>;
  /**
   * How full the context window is: the figures of `getContextUsage()` without its categories. Cheap enough
   * for every answer: it counts what was appended since the last one.
   */
  getContextSize(): Promise<ContextSize>;
  /**
   * What the running prompt has cost, and the range in which it will end, by the runs of this folder that
   * were like it. The history is read by the first call.
   *
   * @example
   * ```ts
   * const running = query({ prompt: 'Read the README.' });
   * for await (const message of running)
   *   if (message.type === 'assistant') console.log(await running.getCostForecast());
   * ```
   */
  getCostForecast(): Promise<RunForecast>;
  /** Cost and duration of the session. The name is the published one; this implementation is stable. */
  usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET(): Promise<SessionUsage>;
  /** Stops a task. Resolves when all of it has ended, or immediately when no such task runs. */
  stopTask(taskId: string): Promise<void>;
  /**
   * Moves commands and agents in the foreground to the background: those of one call, or all. False when
   * `toolUseId` names none. Rejects with `tasks_disabled`.
   */
  backgroundTasks(toolUseId?: string): Promise<boolean>;
  /** The end of a task's output. Rejects with `unknown_task`. */
  getTaskOutput(taskId: string): Promise<TaskOutputTail>;
}

/** Settings and permission rules of a running query. */
export interface SettingsMethods {
  /**
   * Merges keys into the layer of `options.settings`; null removes one. Rules, folders and mode take effect
   * immediately, the model with the next request, the effort with the next turn. Rejects with
   * `invalid_settings`, without a change.
   */
  applyFlagSettings(settings: Readonly<Record<string, unknown>>): Promise<void>;
  /**
   * Writes `outputStyle`, `model` or `effortLevel` to a settings file that this session reads; to the user's
   * also `theme`. Rejects with `invalid_settings`.
   */
  updateSettings(
    source: 'localSettings' | 'userSettings',
    settings: Readonly<Record<string, unknown>>,
  ): Promise<void>;
  /**
   * Writes one key of a settings file that this session reads, with its path (`sandbox.enabled`), for hosts
   * whose user chose it; undefined takes it out. Every other byte of the file stays. It holds from the next
   * session on. Rejects with `invalid_option` for a key that there is not, and with `invalid_settings`.
   *
   * @example
   * ```ts
   * const running = query({ prompt: 'Which files are in /work?' });
   * await running.setSetting('userSettings', 'autoCompactEnabled', false);
   * ```
   */
  setSetting(
    destination: 'userSettings' | 'projectSettings' | 'localSettings',
    key: string,
    value: unknown,
  ): Promise<void>;
  /** The effective settings, and their sources. */
  getSettings(): Promise<ReturnType<SessionSettings['report']>>;
  /** Every rule with its source, and the folders that tools may use. */
  listPermissionRules(): Promise<PermissionRulesState>;
  /**
   * Adds and removes rules and folders, or sets the mode, for calls that are not decided yet. What names a
   * settings file as its destination is also written there; `session` is forgotten with the session. Rejects
   * with `invalid_option` for a rule that cannot be read, and with `invalid_settings` for a file that cannot
   * be changed; nothing has changed then.
   *
   * @example
   * const running = query({ prompt: 'Fix the failing test.' });
   * await running.updatePermissions([
   *   {
   *     type: 'addRules',
   *     behavior: 'allow',
   *     rules: [{ toolName: 'Bash', ruleContent: 'npm test:*' }],
   *     destination: 'localSettings',
   *   },
   * ]);
   */
  updatePermissions(updates: readonly PermissionUpdate[]): Promise<void>;
  /**
   * The file to which `updatePermissions` and `updateSettings` write for this destination, as an absolute
   * path. It need not exist. Rejects with `invalid_settings` where there is no configuration home.
   */
  settingsFile(destination: 'userSettings' | 'projectSettings' | 'localSettings'): Promise<string>;
}
