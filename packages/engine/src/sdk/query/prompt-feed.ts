/**
 * Reads the prompts of a query and puts them into the queue of its engine, which submits them; reports what
 * becomes of each.
 */
import type { QueryEngine, QueuedPrompt } from '../../engine/query-engine.ts';
import { describeTerminal, type TerminalReason } from '../../protocol/session/terminal.ts';
import type { SDKUserMessage } from '../../protocol/stream/sdk-messages.ts';
import type { PromptState } from '../../protocol/stream/session-messages.ts';
import { createPromptLifecycle, type PromptLifecycle } from './prompt-lifecycle.ts';

export interface PromptFeed {
  add(message: SDKUserMessage): Promise<void>;
  /** Reads the iterable to its end. Rejects with its error. */
  read(input: AsyncIterable<SDKUserMessage>): Promise<void>;
  /** Reports what becomes of its prompts in the queue of this engine. */
  follow(engine: QueryEngine): void;
  /** The next message is the result of the running turn. */
  turnEnding(reason: TerminalReason | undefined): void;
  /** That turn has ended. */
  turnEnded(reason: TerminalReason | undefined): void;
  /** Withdraws a queued prompt; false if there is none with this uuid, or it has begun. */
  withdraw(engine: QueryEngine, uuid: string): boolean;
  /** Withdraws all queued prompts, those that just joined a turn included; returns their uuids. */
  withdrawAll(engine: QueryEngine): readonly string[];
  /** No more prompts will arrive. */
  readonly ended: boolean;
  /** Resolves at the next change. */
  changed(): Promise<void>;
  wake(): void;
  /** Stops reading. */
  end(): void;
}

export function createPromptFeed(engine: () => Promise<QueryEngine>, listener: PromptListener): PromptFeed {
  return new Feed(engine, listener);
}

interface PromptListener {
  /** A prompt arrived; called before it is processed. */
  arrived(): void;
  /** The state of a prompt with a uuid changed. */
  changed(uuid: string, state: PromptState): void;
  /** A prompt with a known uuid arrived: it does not run again. */
  repeated(message: SDKUserMessage): void;
}

class Feed implements PromptFeed {
  readonly #engine: () => Promise<QueryEngine>;
  readonly #listener: PromptListener;
  readonly #lifecycle: PromptLifecycle;
  /** uuids of all prompts so far. */
  readonly #seen = new Set<string>();
  /** Keys of its prompts that may be in the queue. */
  readonly #queued = new Set<string>();
  #count = 0;
  /** Iterables that are still being read. */
  #open = 0;
  #over = false;
  #change: Promise<void> | undefined;
  #wakeUp: (() => void) | undefined;

  constructor(engine: () => Promise<QueryEngine>, listener: PromptListener) {
    this.#engine = engine;
    this.#listener = listener;
    this.#lifecycle = createPromptLifecycle((uuid, state) => listener.changed(uuid, state));
  }

  get ended(): boolean {
    return this.#open === 0;
  }

  add(message: SDKUserMessage): Promise<void> {
    return this.#reading(() => this.#put(message));
  }

  read(input: AsyncIterable<SDKUserMessage>): Promise<void> {
    return this.#reading(async () => {
      const iterator = input[Symbol.asyncIterator]();
      while (!this.#over) {
        const step = await iterator.next();
        if (step.done === true) return;
        if (!this.#over) await this.#put(step.value);
      }
      await iterator.return?.();
    });
  }

  follow(session: QueryEngine): void {
    const { queue, controls } = session;
    queue.onJoined((keys) => {
      for (const key of keys) if (this.#seen.has(key)) this.#lifecycle.joined(key);
    });
    queue.onTaken((taken) => {
      const own = taken.flatMap(({ key, uuid, content }) =>
        uuid !== undefined && this.#queued.has(key) ? [{ uuid, content }] : [],
      );
      for (const { uuid, content } of own)
        if (uuid !== taken.at(-1)?.uuid) controls.repeatPrompt(uuid, content);
      for (const { uuid } of own) this.#lifecycle.started(uuid);
      // Prompts that joined a running turn have left the queue too.
      const left = new Set(queue.list().map(({ key }) => key));
      for (const key of this.#queued) if (!left.has(key)) this.#queued.delete(key);
    });
  }

  turnEnding(reason: TerminalReason | undefined): void {
    this.#lifecycle.turnEnding(describeTerminal(reason)?.isAborted === true);
  }

  turnEnded(reason: TerminalReason | undefined): void {
    this.#lifecycle.turnEnded(describeTerminal(reason)?.isAborted === true);
  }

  withdraw(session: QueryEngine, uuid: string): boolean {
    const [gone] = session.queue.withdraw([uuid]);
    if (gone !== undefined) this.#lifecycle.cancelled(gone);
    return gone !== undefined;
  }

  withdrawAll(session: QueryEngine): readonly string[] {
    const prompts = session.queue.list().filter(({ key }) => this.#queued.has(key));
    session.queue.withdraw(prompts.map(({ key }) => key));
    const uuids = prompts.flatMap(({ uuid }) => uuid ?? []);
    for (const uuid of uuids) this.#lifecycle.cancelled(uuid);
    return uuids;
  }

  changed(): Promise<void> {
    this.#change ??= new Promise<void>((resolve) => {
      this.#wakeUp = resolve;
    });
    return this.#change;
  }

  wake(): void {
    const wakeUp = this.#wakeUp;
    this.#change = undefined;
    this.#wakeUp = undefined;
    wakeUp?.();
  }

  end(): void {
    this.#over = true;
    this.wake();
  }

  async #put(message: SDKUserMessage): Promise<void> {
    const { uuid } = message;
    if (uuid !== undefined) {
      if (this.#seen.has(uuid)) {
        await this.#engine();
        return this.#listener.repeated(message);
      }
      this.#seen.add(uuid);
    }
    const session = await this.#engine();
    if (uuid !== undefined && session.controls.wasAnswered(uuid)) {
      this.#lifecycle.completed(uuid);
      this.#listener.repeated(message);
      return this.wake();
    }
    this.#count += 1;
    const key = message.uuid ?? `prompt-${this.#count}`;
    this.#queued.add(key);
    this.#listener.arrived();
    this.#lifecycle.queued(message.uuid);
    await this.#enqueue(session, {
      key,
      content: message.message.content,
      uuid: message.uuid,
      origin: message.origin,
      priority: message.priority,
      shouldQuery: message.shouldQuery,
      verbatim: message.client_composed,
      joins: message.isSynthetic !== true,
    });
    this.wake();
  }

  /** `/clear` may replace the session at any moment: the prompt then belongs to the session that follows. */
  async #enqueue(session: QueryEngine, prompt: QueuedPrompt): Promise<void> {
    try {
      await session.queue.put(prompt);
    } catch (error) {
      const current = await this.#engine();
      if (current === session) throw error;
      return this.#enqueue(current, prompt);
    }
    const current = await this.#engine();
    if (current !== session) await handQueueOn(session, current);
  }

  async #reading(work: () => Promise<void>): Promise<void> {
    this.#open += 1;
    try {
      await work();
    } finally {
      this.#open -= 1;
      this.wake();
    }
  }
}

/** Moves queued prompts from one session to the one that follows it. */
export async function handQueueOn(from: QueryEngine, to: QueryEngine): Promise<void> {
  for (let item = from.queue.take(); item !== undefined; item = from.queue.take()) await to.queue.put(item);
}

export function toUserMessage(content: SDKUserMessage['message']['content']): SDKUserMessage {
  return { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null };
}
