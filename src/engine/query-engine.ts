/** The outer layer's face: one engine per session, one submission at a time (L1). */

import type { SetServersResult } from '../mcp/servers/mcp-servers.ts';
import type { ContextUsage } from '../protocol/context-usage.ts';
import { TurnwrightError } from '../protocol/errors.ts';
import type { McpServerStatus } from '../protocol/mcp.ts';
import type { PermissionMode } from '../protocol/permission.ts';
import type { SDKMessage, SlashCommandInfo } from '../protocol/sdk-messages.ts';
import type { ThinkingConfig, UserBlock } from '../protocol/wire.ts';
import { endableIterator } from '../util/async/endable-iterator.ts';
import { flattened } from '../util/async/flattened.ts';
import type { McpClient } from './config.ts';
import { type HostControls, hostControls } from './host/host-controls.ts';
import { type HostFiles, hostFiles } from './host/host-files.ts';
import type { ReloadedPlugins, ReloadPluginsOptions } from './host/reload-plugins.ts';
import { type SessionMcp, sessionMcp } from './host/session-mcp.ts';
import { type SessionSettings, sessionSettings } from './host/session-settings.ts';
import { BACKGROUND_WAIT_MS, type SessionTasks, sessionTasks } from './host/session-tasks.ts';
import type { PublicConfig } from './published-names.ts';
import { handOver, type Inherited } from './session/clear-session.ts';
import { closeSession } from './session/close-session.ts';
import type { Session } from './session/session.ts';
import { renameSession } from './session/session-title.ts';
import type { Prompt, SubmitOptions } from './submission/prompt.ts';
import type { QueuedPrompt } from './submission/queued-prompt.ts';
import { resumeSubmission } from './submission/resume-submission.ts';
import { openSubmission, type Submission } from './submission/submission.ts';
import { type Batches, submitMessage } from './submission/submit-message.ts';
import { composeEngine } from './wiring/engine.ts';

export type { QueuedPrompt };

/**
 * Drives a model through tools for one session. The constructor does no I/O: the first submission opens the journal. It
 * throws `invalid_option` for wrong or contradicting fields, and `unpriced_model` for a USD budget without a price.
 */
export class QueryEngine {
  readonly sessionId: string;
  /** What runs in the background. */
  readonly tasks: SessionTasks;
  readonly controls: HostControls;
  readonly #session: Session;
  #files: HostFiles | undefined;
  #running: Submission | undefined;
  #closing: Promise<void> | undefined;
  #next: QueryEngine | undefined;

  /** `inherited`: see `successor`. */
  constructor(config: PublicConfig, inherited?: Inherited) {
    const session = composeEngine(config, inherited);
    const { budget, conversation, model, world } = session;
    this.#session = session;
    this.sessionId = conversation.sessionId;
    this.tasks = sessionTasks({
      table: session.tasks,
      enabled: config.backgroundTasks !== false,
      isSpent: () => budget.isSpent,
      clock: world.clock,
      waitMs: config.backgroundWaitMs ?? BACKGROUND_WAIT_MS,
    });
    this.controls = hostControls(session, world.clock.monotonicMs());
    model.refuseUnpriced(model.current);
    session.queue.onNow(() => this.#running?.scope.abort('interrupt'));
    conversation.journal.onLost(() => void session.scope.close('lease_lost'));
  }

  /**
   * Submits a prompt. The stream ends in exactly one `result`, last; in none when the iterator is returned, the
   * engine is closed or another process takes the session over. The first `next()` rejects with
   * `submission_running` while another submission runs, and with `engine_closed` after `close()`.
   */
  submitMessage(
    prompt: string | readonly UserBlock[],
    options: SubmitOptions = {},
  ): AsyncGenerator<SDKMessage, void, void> {
    return this.#oneByOne(this.submitInBatches(prompt, options));
  }

  /** The same messages; what comes together is handed on together. */
  submitInBatches(content: string | readonly UserBlock[], options: SubmitOptions = {}): Batches {
    const submission = this.#open({ content, options }, this.#session.world.ids.uuid());
    return this.#endable(submitMessage(submission.prompt, submission, this.#session), submission);
  }

  /**
   * Carries an interrupted submission on to its one result, without a new prompt (L4.1). Yields nothing when the
   * session has none. Must be the engine's first act; a submission before it closes what was interrupted.
   */
  resume(): AsyncGenerator<SDKMessage, void, void> {
    return this.#oneByOne(this.resumeInBatches());
  }

  /** The same messages; what comes together is handed on together. */
  resumeInBatches(): Batches {
    const submission = this.#open({ content: '', options: {} }, this.#session.world.ids.uuid());
    return this.#endable(resumeSubmission(submission, this.#session), submission);
  }

  /** Puts a prompt in line for the running submission; see `takeQueued` for what did not join it. */
  async enqueue(prompt: QueuedPrompt): Promise<void> {
    this.#refuseClosed();
    const { content, priority = 'next', uuid, origin } = prompt;
    const key = prompt.key ?? uuid ?? this.#session.world.ids.uuid();
    const more = { ...(uuid !== undefined && { uuid }), ...(origin !== undefined && { origin }) };
    await this.#session.queue.put({ key, priority, content: this.#session.tools.admit(content), ...more });
  }

  /** The next prompt in line, by priority and then age; it is then the caller's to submit. */
  takeQueued(): QueuedPrompt | undefined {
    const next = this.queued()[0];
    if (next !== undefined) this.#session.queue.acknowledge([next.key]);
    return next;
  }

  /** What waits in line, in the order it would be taken. */
  queued(): readonly (QueuedPrompt & { readonly key: string })[] {
    return this.#session.queue
      .peek()
      .map(({ key, content, uuid, priority }) => ({ key, content, uuid, priority }));
  }

  /** Ends the running submission as a person would (Esc): it still yields its result. No effect when none runs. */
  interrupt(): void {
    this.#running?.scope.abort('user');
  }

  /** Without asking the hooks that `controls.switchModel` asks. Throws `unpriced_model` under a USD budget. */
  setModel(model?: string): void {
    this.#session.model.select(model);
  }

  /** At once, for calls that are not yet decided. Throws `invalid_mode`, and `bypass_not_launched` for a mode that was not enabled. */
  setPermissionMode(mode: PermissionMode): void {
    this.#session.permissions.setMode(mode);
    this.#session.appState.set((state) => ({ ...state, permissionMode: mode }));
  }

  get permissionMode(): PermissionMode {
    return this.#session.permissions.mode;
  }

  /** From the next submission on; undefined: as configured. */
  setThinking(thinking?: ThinkingConfig): void {
    this.#session.model.thinking = thinking;
  }

  /** Settings and permission rules while the session runs. */
  get settings(): SessionSettings {
    return sessionSettings(this.#session, this);
  }

  /** Files as the host may see them. */
  get files(): HostFiles {
    this.#files ??= hostFiles(this.#session);
    return this.#files;
  }

  /** MCP servers, as a host may use them beside the model. */
  get mcp(): SessionMcp {
    return sessionMcp(this.#session);
  }

  /** What fills the context, by category. Opens the session when nothing has yet. */
  async getContextUsage(): Promise<ContextUsage> {
    this.#refuseClosed();
    return (await import('./host/context-usage.ts')).contextUsageOf(this.#session);
  }

  /** Looks for skills again; those that a user may call. Announces a list of commands that changed. */
  async reloadSkills(): Promise<readonly SlashCommandInfo[]> {
    this.#refuseClosed();
    const { commands, skills } = this.#session;
    return commands.changing(skills.reload());
  }

  /** Gives the session a name. Rejects with `invalid_option` for an empty one, or when another session is meant. */
  async rename(title: string, sessionId = this.sessionId): Promise<void> {
    this.#refuseClosed();
    await renameSession(title, this.#session, sessionId);
  }

  /** Reads plugins again, and their parts. Rejects with `reload_plugins_busy` where that was asked for. */
  async reloadPlugins(options: ReloadPluginsOptions = {}): Promise<ReloadedPlugins> {
    this.#refuseClosed();
    const { reloadPlugins } = await import('./host/reload-plugins.ts');
    return reloadPlugins(options, this.#running !== undefined || this.queued().length > 0, this.#session);
  }

  /** How the MCP servers stand. Begins to connect to them when nothing has yet. */
  mcpServerStatus(): readonly McpServerStatus[] {
    this.#session.mcp.start();
    return this.#session.mcp.statuses();
  }

  /** Drops the connection to a server and makes a new one. Rejects with the reason when it does not come to one. */
  async reconnectMcpServer(name: string): Promise<void> {
    this.#refuseClosed();
    await this.#session.mcp.reconnect(name);
  }

  /** Off: disconnected, and its tools are taken away from the next request on. On: connected again. */
  async toggleMcpServer(name: string, on: boolean): Promise<void> {
    this.#refuseClosed();
    await this.#session.mcp.setEnabled(name, on);
  }

  /**
   * Puts these servers in the place of those that an earlier call of this brought; configured ones stay. Resolves
   * when each new one was tried.
   */
  async setMcpServers(
    configs: Readonly<Record<string, unknown>>,
    clients: readonly McpClient[] = [],
  ): Promise<SetServersResult> {
    this.#refuseClosed();
    return this.#session.mcp.setServers(configs, clients);
  }

  /** Hears the messages that no submission yields: of background tasks, of hooks. Until the returned function is called. */
  onAnnouncement(listener: (message: SDKMessage) => void): () => void {
    return this.#session.host.listen(listener);
  }

  /** The message that tells consumers of a changed permission mode. */
  modeMessage(): SDKMessage {
    return this.#session.notices.mode();
  }

  /**
   * After `/clear`: the engine of the conversation that begins, which takes over the MCP connections, what was spent,
   * model and mode. This one takes no more prompts and is then to be closed. undefined: nothing was cleared.
   */
  successor(): QueryEngine | undefined {
    const { successor: id } = this.#session.conversation;
    if (id !== undefined) this.#next ??= handOver(id, this.#session, (...made) => new QueryEngine(...made));
    return this.#next;
  }

  /** Ends the session: what runs is abandoned within 100 ms, without a result. Idempotent. */
  close(): Promise<void> {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  #close(): Promise<void> {
    const running = this.#running;
    return closeSession(this.#session, running && { submission: running, run: running.run });
  }

  #open(prompt: Prompt, id: string): Submission {
    return openSubmission({
      id,
      prompt,
      session: this.#session,
      onStart: (submission) => {
        this.#refuseClosed();
        if (this.#session.conversation.successor !== undefined)
          throw new TurnwrightError(
            'engine_closed',
            'This conversation was cleared; successor() has the engine of the one that follows.',
          );
        if (this.#running !== undefined) {
          throw new TurnwrightError(
            'submission_running',
            'A submission is running in this session; queue the prompt, or wait for its result.',
          );
        }
        this.#running = submission;
      },
      onEnd: (submission) => {
        this.#session.skills.endSubmission();
        if (this.#running === submission) this.#running = undefined;
      },
    });
  }

  #endable(batches: Batches, submission: Submission): Batches {
    submission.run = batches;
    return endableIterator(batches, (how) => submission.leave(how === 'return' ? 'returned' : 'thrown'));
  }

  /** Nothing is said any more once the engine is closed, or the session is another owner's (L10.6). */
  #oneByOne(batches: Batches): AsyncGenerator<SDKMessage, void, void> {
    return flattened(batches, () => this.#closing === undefined && !this.#session.conversation.journal.lost);
  }

  #refuseClosed(): void {
    const why = 'This engine was closed; open another one to go on with the session.';
    if (this.#closing !== undefined) throw new TurnwrightError('engine_closed', why);
  }
}
