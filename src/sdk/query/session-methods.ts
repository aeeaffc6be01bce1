/** What a query lets its host ask of the session and do to it, beside the turns. */

import type { McpCall, SessionUsage } from '../../engine/host/host-controls.ts';
import type { HostFile, HostFileOptions } from '../../engine/host/host-files.ts';
import type { ReloadedPlugins, ReloadPluginsOptions } from '../../engine/host/reload-plugins.ts';
import type { McpResourceContents } from '../../engine/host/session-mcp.ts';
import type { TaskOutputTail } from '../../engine/host/session-tasks.ts';
import type { QueryEngine } from '../../engine/query-engine.ts';
import type { SetServersResult } from '../../engine/wiring/mcp/mcp.ts';
import type { ContextUsage } from '../../protocol/context-usage.ts';
import type { RewindFilesResult } from '../../protocol/file-history.ts';
import type { HooksListing } from '../../protocol/hook-config.ts';
import type { McpServerStatus } from '../../protocol/mcp.ts';
import type { SlashCommandInfo } from '../../protocol/sdk-messages.ts';
import type { ToolResultContent } from '../../protocol/tool.ts';
import { splitServers } from '../mcp/configured-servers.ts';
import { ownClient } from '../mcp/own-client.ts';
import type { McpServerConfig } from '../mcp/server-config.ts';
import { SettingsControls } from './settings-methods.ts';

export type { McpCall, SessionUsage };

export interface SessionMethods {
  mcpServerStatus(): Promise<readonly McpServerStatus[]>;
  /** Rejects with the reason when it does not come to a connection. */
  reconnectMcpServer(name: string): Promise<void>;
  /** Off: its tools are taken away from the next request on. */
  toggleMcpServer(name: string, on: boolean): Promise<void>;
  /**
   * Puts these servers in the place of those of an earlier call and of all that are the host's own (`type: 'sdk'`). A
   * server of the options or of a file stays until a call has named it.
   */
  setMcpServers(servers: Readonly<Record<string, McpServerConfig>>): Promise<SetServersResult>;
  /** A `ui://` resource of a server that the engine reaches, to be shown sandboxed. Rejects with the reason. */
  readMcpResource(server: string, uri: string): Promise<McpResourceContents>;
  /**
   * Calls of this server ask, even where the mode would allow them; null: as the mode has it. Never allows more.
   * `auto` asks as well: nothing else decides in the place of a person here.
   */
  setMcpPermissionModeOverride(
    server: string,
    mode: 'default' | 'auto' | null,
  ): Promise<{ readonly warning?: string }>;
  /** Calls a server's tool beside the conversation. Rejects with `mcp_call_failed` when it did not run or failed. */
  callMcpTool(call: McpCall, signal?: AbortSignal): Promise<{ readonly content: ToolResultContent }>;
  /** Looks for skills again; the model is told of what changed with the next prompt. */
  reloadSkills(): Promise<{ readonly skills: readonly SlashCommandInfo[] }>;
  /**
   * Gives the session a name. Rejects with `invalid_option` for an empty one, and when `sessionId` names another
   * session than this.
   */
  renameSession(title: string, which?: { readonly sessionId?: string | undefined }): Promise<void>;
  /** Reads the plugins again; see `ReloadPluginsOptions`. */
  reloadPlugins(options?: ReloadPluginsOptions): Promise<ReloadedPlugins>;
  /** The hooks of this session: callbacks, and those of settings and plugins. */
  hooksListing(): Promise<HooksListing>;
  /** By the rules of the Read tool; null: not there, or not allowed unasked. */
  readFile(path: string, options?: HostFileOptions): Promise<HostFile | null>;
  /** The model has seen this file as it was at `mtime` (ms), though its context no longer shows it. */
  seedReadState(path: string, mtime: number): Promise<void>;
  /** Paths in the working directory that fit the beginning of a mention; folders end in a slash. */
  fileSuggestions(query: string): Promise<readonly string[]>;
  /**
   * Puts back what Write, Edit and NotebookEdit changed since this message of the user, agents' edits included; files
   * that they made are removed. What anybody else changed since stays as it is and is named. Needs
   * `enableFileCheckpointing`. `dryRun`: only tells what would change.
   */
  rewindFiles(
    userMessageId: string,
    options?: { readonly dryRun?: boolean | undefined },
  ): Promise<RewindFilesResult>;
  /** What fills the context, by category. */
  getContextUsage(): Promise<ContextUsage>;
  /** What the session cost and took so far. The name is the published one; ours is not experimental. */
  usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET(): Promise<SessionUsage>;
  /** Resolves when nothing of the task is left; at once when no task of this id runs. */
  stopTask(taskId: string): Promise<void>;
  /**
   * Lets commands and agents that a call waits for go on in the background: that of one call, or all. False when
   * `toolUseId` names none that waits. Rejects with `tasks_disabled`.
   */
  backgroundTasks(toolUseId?: string): Promise<boolean>;
  /** The end of a task's output. Rejects with `unknown_task`. */
  getTaskOutput(taskId: string): Promise<TaskOutputTail>;
}

export class SessionControls extends SettingsControls implements SessionMethods {
  readonly #engine: () => Promise<QueryEngine>;

  constructor(engine: () => Promise<QueryEngine>, sayMode: (session: QueryEngine) => void) {
    super(engine, sayMode);
    this.#engine = engine;
  }

  async reloadSkills() {
    return { skills: await (await this.#engine()).reloadSkills() };
  }

  async renameSession(title: string, which?: { readonly sessionId?: string | undefined }) {
    return (await this.#engine()).rename(title, which?.sessionId);
  }

  async reloadPlugins(options?: ReloadPluginsOptions) {
    return (await this.#engine()).reloadPlugins(options);
  }

  async hooksListing() {
    return (await this.#engine()).controls.hooksListing();
  }

  async readFile(path: string, options?: HostFileOptions) {
    return (await this.#engine()).files.read(path, options);
  }

  async seedReadState(path: string, mtime: number) {
    return (await this.#engine()).files.seedRead(path, mtime);
  }

  async fileSuggestions(query: string) {
    return (await this.#engine()).files.suggest(query);
  }

  async rewindFiles(userMessageId: string, options?: { readonly dryRun?: boolean | undefined }) {
    return (await this.#engine()).files.rewind(userMessageId, options);
  }

  async getContextUsage() {
    return (await this.#engine()).getContextUsage();
  }

  async usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET() {
    return (await this.#engine()).controls.usage();
  }

  async mcpServerStatus() {
    return (await this.#engine()).mcpServerStatus();
  }

  async reconnectMcpServer(name: string) {
    return (await this.#engine()).reconnectMcpServer(name);
  }

  async toggleMcpServer(name: string, on: boolean) {
    return (await this.#engine()).toggleMcpServer(name, on);
  }

  async setMcpServers(servers: Readonly<Record<string, McpServerConfig>>) {
    const { own, others } = splitServers(servers);
    const clients = await Promise.all(own.map(([name, server]) => ownClient(name, server)));
    return (await this.#engine()).setMcpServers(others, clients);
  }

  async readMcpResource(server: string, uri: string) {
    return (await this.#engine()).mcp.readResource(server, uri);
  }

  async setMcpPermissionModeOverride(server: string, mode: 'default' | 'auto' | null) {
    return (await this.#engine()).mcp.setModeOverride(server, mode);
  }

  async callMcpTool(call: McpCall, signal: AbortSignal = new AbortController().signal) {
    return (await this.#engine()).controls.callMcpTool(call, signal);
  }

  async stopTask(taskId: string) {
    return (await this.#engine()).tasks.stop(taskId);
  }

  async backgroundTasks(toolUseId?: string) {
    return (await this.#engine()).tasks.toBackground(toolUseId);
  }

  async getTaskOutput(taskId: string) {
    return (await this.#engine()).tasks.output(taskId);
  }
}
