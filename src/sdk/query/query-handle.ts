/** What a host holds of a session that runs. */
import type { QueryEngine } from '../../engine/query-engine.ts';
import type { PermissionMode } from '../../protocol/permission.ts';
import type { SDKMessage, SDKUserMessage } from '../../protocol/sdk-messages.ts';
import type { PromptFeed } from './prompt-feed.ts';
import type { InitializationResult } from './session-info.ts';
import { SessionControls, type SessionMethods } from './session-methods.ts';
import type { SettingsMethods } from './settings-methods.ts';
import { type SetMaxThinkingTokens, setThinking } from './thinking-controls.ts';

export interface InterruptReceipt {
  /** uuids of prompts that wait and will still run. */
  readonly still_queued: readonly string[];
  /** Those that were called off. */
  readonly cancelled?: readonly string[];
}

export interface Query extends AsyncGenerator<SDKMessage, void, void>, SettingsMethods, SessionMethods {
  /** Stops the running turn; it still yields its result. `cancelQueued`: prompts that wait are called off too. */
  interrupt(options?: { readonly cancelQueued?: boolean }): Promise<InterruptReceipt>;
  /** Calls off a prompt that waits in line. False when it has begun, or joins the running turn, or is not known. */
  cancelAsyncMessage(uuid: string): Promise<boolean>;
  /** From the next request on, of a running turn too; undefined: the default model. */
  setModel(model?: string): Promise<void>;
  /** At once, for calls that are not yet decided; a status message tells of it. */
  setPermissionMode(mode: PermissionMode): Promise<void>;
  /**
   * From the next turn on. Tokens, 0 for no thinking, null for what is configured; `display`: what of the thinking is
   * shown, null for the model's own way. undefined leaves either as it is.
   */
  readonly setMaxThinkingTokens: SetMaxThinkingTokens;
  /** Does not wait for MCP servers. */
  initializationResult(): Promise<InitializationResult>;
  /** The same, as it is now. Emits `background_tasks_changed` with what runs in the background. */
  reinitialize(): Promise<InitializationResult>;
  supportedCommands(): Promise<InitializationResult['commands']>;
  supportedModels(): Promise<InitializationResult['models']>;
  supportedAgents(): Promise<InitializationResult['agents']>;
  accountInfo(): Promise<InitializationResult['account']>;
  /** The names of the output styles there are now. */
  reloadOutputStyles(): Promise<{ readonly available_output_styles: readonly string[] }>;
  /** More prompts. Resolves when all of them were read. */
  streamInput(input: AsyncIterable<SDKUserMessage>): Promise<void>;
  /** Ends the session: no result, and the iterator ends silently. */
  close(): Promise<void>;
}

/** What its methods work with. */
export interface Running {
  engine(): Promise<QueryEngine>;
  readonly feed: PromptFeed;
  close(): Promise<void>;
  sayMode(session: QueryEngine): void;
  /** An interrupt leaves background tasks to who can stop single ones. */
  readonly keepsTasks: boolean;
  initialization(): Promise<InitializationResult>;
  /** As hosts were told last. */
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
    // Before anything is waited for: the next turn may begin meanwhile, and takes its prompts off the queue.
    const waiting = session.queued().flatMap(({ uuid }) => uuid ?? []);
    // Who cannot stop single tasks would be left with them; nor can anybody once the input is closed.
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
