/** The methods of a running query. */
import type { QueryEngine } from '../../engine/query-engine.ts';
import type { PermissionMode } from '../../protocol/permission.ts';
import type { SDKMessage, SDKUserMessage } from '../../protocol/sdk-messages.ts';
import type { PromptFeed } from './prompt-feed.ts';
import type { InitializationResult } from './session-info.ts';
import { SessionControls, type SessionMethods } from './session-methods.ts';
import type { SettingsMethods } from './settings-methods.ts';
import { type SetMaxThinkingTokens, setThinking } from './thinking-controls.ts';

export interface InterruptReceipt {
  /** uuids of queued prompts that will still run. */
  readonly still_queued: readonly string[];
  /** uuids of prompts that were withdrawn. */
  readonly cancelled?: readonly string[];
}

export interface Query extends AsyncGenerator<SDKMessage, void, void>, SettingsMethods, SessionMethods {
  /**
   * Stops the running turn, which still yields its result. `cancelQueued`: queued prompts are withdrawn too.
   */
  interrupt(options?: { readonly cancelQueued?: boolean }): Promise<InterruptReceipt>;
  /** Withdraws a queued prompt. False if it has begun, joins the running turn, or is unknown. */
  cancelAsyncMessage(uuid: string): Promise<boolean>;
  /** Takes effect with the next request, also of a running turn; undefined: the default model. */
  setModel(model?: string): Promise<void>;
  /** Takes effect immediately, for calls that are not decided yet. Emits a status message. */
  setPermissionMode(mode: PermissionMode): Promise<void>;
  /**
   * Takes effect with the next turn. Tokens; 0: no thinking, null: as configured. `display`: thinking
   * display, null for the model's default. undefined leaves either unchanged.
   */
  readonly setMaxThinkingTokens: SetMaxThinkingTokens;
  /** Resolves without waiting for MCP servers. */
  initializationResult(): Promise<InitializationResult>;
  /**
   * Like `initializationResult`, with current values. Emits `background_tasks_changed` with the running
   * background tasks.
   */
  reinitialize(): Promise<InitializationResult>;
  supportedCommands(): Promise<InitializationResult['commands']>;
  supportedModels(): Promise<InitializationResult['models']>;
  supportedAgents(): Promise<InitializationResult['agents']>;
  accountInfo(): Promise<InitializationResult['account']>;
  /** Reloads output styles; returns their names. */
  reloadOutputStyles(): Promise<{ readonly available_output_styles: readonly string[] }>;
  /** Adds prompts. Resolves when all of them were read. */
  streamInput(input: AsyncIterable<SDKUserMessage>): Promise<void>;
  /** Ends the session: no result, and the iterator ends silently. */
  close(): Promise<void>;
}

/** State of a running query, as its methods use it. */
export interface Running {
  engine(): Promise<QueryEngine>;
  readonly feed: PromptFeed;
  close(): Promise<void>;
  sayMode(session: QueryEngine): void;
  /** An interrupt does not stop background tasks, because the host can stop single ones. */
  readonly keepsTasks: boolean;
  initialization(): Promise<InitializationResult>;
  /** The list of commands that hosts received last. */
  commands(): InitializationResult['commands'] | undefined;
}

export class QueryHandle extends SessionControls implements Query {
  readonly #messages: AsyncGenerator<SDKMessage, void, void>;
  readonly #running: Running;

  constructor(messages: AsyncGenerator<SDKMessage, void, void>, running: Running) {
    super(running.engine, running.sayMode);
    this.#messages = messages;
    this.#running = running;
  }

  next(): Promise<IteratorResult<SDKMessage, void>> {
    return this.#messages.next();
  }

  return(): Promise<IteratorResult<SDKMessage, void>> {
    return this.#messages.return();
  }

  throw(error: unknown): Promise<IteratorResult<SDKMessage, void>> {
    return this.#messages.throw(error);
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#messages.return();
  }

  async interrupt({ cancelQueued = false } = {}): Promise<InterruptReceipt> {
    const { feed, keepsTasks } = this.#running;
    const session = await this.#running.engine();
    session.interrupt();
    const cancelled = cancelQueued ? feed.withdrawAll(session) : undefined;
    // Taken before the first await: the next turn may begin meanwhile and take prompts off the queue.
    const waiting = session.queued().flatMap(({ uuid }) => uuid ?? []);
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
    return (await this.#running.engine()).controls.switchModel(model);
  }

  async setPermissionMode(mode: PermissionMode): Promise<void> {
    const session = await this.#running.engine();
    const before = session.permissionMode;
    session.setPermissionMode(mode);
    if (session.permissionMode !== before) this.#running.sayMode(session);
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

  close(): Promise<void> {
    return this.#running.close();
  }
}
