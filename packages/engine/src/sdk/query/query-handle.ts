/** The methods of a running query. */

import type { Output } from '@turnwright/base/async/batch-output.ts';
import { Door, type DoorTerms } from '@turnwright/base/async/door.ts';
import type { HostFileOptions } from '../../engine/host/host-files.ts';
import type { ReloadPluginsOptions } from '../../engine/host/reload-plugins.ts';
import type { McpCall } from '../../engine/host/session-mcp.ts';
import type { PermissionRulesState, SessionSettings } from '../../engine/host/session-settings.ts';
import type { SideQuestion } from '../../engine/host/side-question.ts';
import type { QueryEngine } from '../../engine/query-engine.ts';
import type { AvailableModels } from '../../engine/standalone/list-configured-models.ts';
import type { SDKMessage, SDKUserMessage } from '../../protocol/stream/sdk-messages.ts';
import type { PermissionMode, PermissionUpdate } from '../../protocol/tools/permission.ts';
import { splitServers } from '../mcp/configured-servers.ts';
import type { McpServerConfig } from '../mcp/mcp-server-config.ts';
import { ownClient } from '../mcp/own-client.ts';
import type { PromptFeed } from './prompt-feed.ts';
import type { InterruptReceipt, Query } from './query-interface.ts';
import type { InitializationResult } from './session-info.ts';
import { type SetMaxThinkingTokens, setThinking } from './thinking-controls.ts';

/** State of a running query, as its methods use it. */
interface Running {
  engine(): Promise<QueryEngine>;
  readonly feed: PromptFeed;
  close(): Promise<void>;
  sayMode(session: QueryEngine): void;
  /** An interrupt does not stop background tasks, because the host can stop single ones. */
  readonly keepsTasks: boolean;
  initialization(): Promise<InitializationResult>;
  readonly availableModels: Query['availableModels'];
  /** The list of commands that hosts received last. */
  commands(): InitializationResult['commands'] | undefined;
}

export class QueryHandle extends Door<SDKMessage, void> implements Query {
  readonly #running: Running;

  constructor(
    run: (output: Output<SDKMessage>) => Promise<void>,
    terms: DoorTerms<SDKMessage>,
    running: Running,
  ) {
    super(run, terms);
    this.#running = running;
  }

  async interrupt({ cancelQueued = false } = {}): Promise<InterruptReceipt> {
    const { feed, keepsTasks } = this.#running;
    const session = await this.#running.engine();
    session.interrupt();
    const cancelled = cancelQueued ? feed.withdrawAll(session) : undefined;
    // Taken before the first await: the next turn may begin meanwhile and take prompts off the queue.
    const waiting = session.queue.list().flatMap(({ uuid }) => uuid ?? []);
    // A host that cannot stop single tasks could not end them; neither can any host once the input is closed.
    if (!keepsTasks || feed.ended) await session.tasks.stopAll('interrupt');
    return {
      still_queued: waiting,
      ...(cancelled !== undefined && { cancelled }),
    };
  }

  async cancelAsyncMessage(uuid: string): Promise<boolean> {
    return this.#running.feed.withdraw(await this.#running.engine(), uuid);
  }

  async setModel(model?: string): Promise<void> {
    return (await this.#running.engine()).model.switchTo(model);
  }

  async setPermissionMode(mode: PermissionMode): Promise<{ readonly mode: PermissionMode }> {
    const session = await this.#running.engine();
    const before = session.settings.permissionMode;
    session.settings.setPermissionMode(mode);
    const { permissionMode } = session.settings;
    if (permissionMode !== before) this.#running.sayMode(session);
    return { mode: permissionMode };
  }

  async setMaxThinkingTokens(...[tokens, display]: Parameters<SetMaxThinkingTokens>): Promise<void> {
    setThinking(await this.#running.engine(), tokens, display);
  }

  initializationResult(): Promise<InitializationResult> {
    return this.#running.initialization();
  }

  async reinitialize(): Promise<InitializationResult> {
    const result = await this.#running.initialization();
    (await this.#running.engine()).tasks.announceRunning();
    return result;
  }

  async supportedCommands(): Promise<InitializationResult['commands']> {
    return this.#running.commands() ?? (await this.#running.initialization()).commands;
  }

  async supportedModels(): Promise<InitializationResult['models']> {
    return (await this.#running.initialization()).models;
  }

  availableModels(which: Parameters<Query['availableModels']>[0]): Promise<AvailableModels> {
    return this.#running.availableModels(which);
  }

  async supportedAgents(): Promise<InitializationResult['agents']> {
    return (await this.#running.initialization()).agents;
  }

  async accountInfo(): Promise<InitializationResult['account']> {
    return (await this.#running.initialization()).account;
  }

  async reloadOutputStyles(): Promise<{ readonly available_output_styles: readonly string[] }> {
    const { available_output_styles } = await this.#running.initialization();
    return { available_output_styles };
  }

  streamInput(input: AsyncIterable<SDKUserMessage>): Promise<void> {
    return this.#running.feed.read(input);
  }

  async applyFlagSettings(settings: Readonly<Record<string, unknown>>): Promise<void> {
    const session = await this.#running.engine();
    const before = session.settings.permissionMode;
    await session.settings.applyFlags(settings);
    if (session.settings.permissionMode !== before) this.#running.sayMode(session);
  }

  async updateSettings(
    source: 'localSettings' | 'userSettings',
    settings: Readonly<Record<string, unknown>>,
  ): Promise<void> {
    return (await this.#running.engine()).settings.update(source, settings);
  }

  async setSetting(
    destination: Parameters<SessionSettings['set']>[0],
    key: string,
    value: unknown,
  ): Promise<void> {
    return (await this.#running.engine()).settings.set(destination, key, value);
  }

  async getSettings(): Promise<ReturnType<SessionSettings['report']>> {
    return (await this.#running.engine()).settings.report();
  }

  async listPermissionRules(): Promise<PermissionRulesState> {
    return (await this.#running.engine()).settings.permissionRules();
  }

  async updatePermissions(updates: readonly PermissionUpdate[]): Promise<void> {
    const session = await this.#running.engine();
    const before = session.settings.permissionMode;
    await session.settings.updatePermissions(updates);
    if (session.settings.permissionMode !== before) this.#running.sayMode(session);
  }

  async settingsFile(destination: 'userSettings' | 'projectSettings' | 'localSettings'): Promise<string> {
    return (await this.#running.engine()).settings.fileOf(destination);
  }

  async reloadSkills() {
    return { skills: await (await this.#running.engine()).controls.reloadSkills() };
  }

  async renameSession(title: string, which?: { readonly sessionId?: string | undefined }) {
    return (await this.#running.engine()).controls.rename(title, which?.sessionId);
  }

  async reloadPlugins(options?: ReloadPluginsOptions) {
    return (await this.#running.engine()).controls.reloadPlugins(options);
  }

  async hooksListing() {
    return (await this.#running.engine()).controls.hooksListing();
  }

  async languageServers() {
    return (await this.#running.engine()).controls.languageServers();
  }

  async readFile(path: string, options?: HostFileOptions) {
    return (await this.#running.engine()).files.read(path, options);
  }

  async seedReadState(path: string, mtime: number) {
    return (await this.#running.engine()).files.seedRead(path, mtime);
  }

  async fileSuggestions(query: string) {
    return (await this.#running.engine()).files.suggest(query);
  }

  async rewindFiles(userMessageId: string, options?: { readonly dryRun?: boolean | undefined }) {
    return (await this.#running.engine()).files.rewind(userMessageId, options);
  }

  async askAside(question: SideQuestion) {
    return (await this.#running.engine()).controls.askAside(question);
  }

  async getContextUsage() {
    return (await this.#running.engine()).controls.contextUsage();
  }

  async getContextSize() {
    return (await this.#running.engine()).controls.contextSize();
  }

  async getCostForecast() {
    return (await this.#running.engine()).controls.costForecast();
  }

  async usage_EXPERIMENTAL_MAY_CHANGE_DO_NOT_RELY_ON_THIS_API_YET() {
    return (await this.#running.engine()).controls.usage();
  }

  async mcpServerStatus() {
    return (await this.#running.engine()).mcp.status();
  }

  async reconnectMcpServer(name: string) {
    return (await this.#running.engine()).mcp.reconnect(name);
  }

  async toggleMcpServer(name: string, on: boolean) {
    return (await this.#running.engine()).mcp.setEnabled(name, on);
  }

  async setMcpServers(servers: Readonly<Record<string, McpServerConfig>>) {
    const { own, others } = splitServers(servers);
    const clients = await Promise.all(own.map(([name, server]) => ownClient(name, server)));
    return (await this.#running.engine()).mcp.setServers(others, clients);
  }

  async readMcpResource(server: string, uri: string) {
    return (await this.#running.engine()).mcp.readResource(server, uri);
  }

  async mcpResources() {
    return (await this.#running.engine()).mcp.resources();
  }

  async setMcpPermissionModeOverride(server: string, mode: 'default' | 'auto' | null) {
    return (await this.#running.engine()).mcp.setModeOverride(server, mode);
  }

  async callMcpTool(call: McpCall, signal: AbortSignal = new AbortController().signal) {
    return (await this.#running.engine()).mcp.callTool(call, signal);
  }

  async stopTask(taskId: string) {
    return (await this.#running.engine()).tasks.stop(taskId);
  }

  async backgroundTasks(toolUseId?: string) {
    return (await this.#running.engine()).tasks.toBackground(toolUseId);
  }

  async getTaskOutput(taskId: string) {
    return (await this.#running.engine()).tasks.output(taskId);
  }

  close(): Promise<void> {
    return this.#running.close();
  }
}
