/**
 * Prompts of a session: read as they arrive and queued by priority; each becomes a submission or part of one.
 */
import type { QueryEngine, QueuedPrompt } from '../../engine/query-engine.ts';
import type { UserBlock } from '../../protocol/model/wire.ts';
import type { TerminalReason } from '../../protocol/session/terminal.ts';
import type { PromptState, SDKUserMessage } from '../../protocol/stream/sdk-messages.ts';
import { joinedContent, mayJoin } from './joined-prompts.ts';
import { createPromptLifecycle, type PromptLifecycle } from './prompt-lifecycle.ts';

interface NextPrompt {
  readonly content: string | readonly UserBlock[];
  /** uuid that the sender gave; undefined if it gave none. */
  readonly uuid: string | undefined;
  /** uuids of further prompts that this one includes. */
  readonly joinedUuids: readonly string[];
  readonly origin: SDKUserMessage['origin'];
  readonly shouldQuery: boolean | undefined;
  /** Sent unchanged: no command, no files for `@path`. */
  readonly verbatim: boolean | undefined;
}

export interface PromptFeed {
  add(message: SDKUserMessage): Promise<void>;
  /** Reads the iterable to its end. Rejects with its error. */
  read(input: AsyncIterable<SDKUserMessage>): Promise<void>;
  /**
   * Takes the next prompt that did not join a running turn, with those behind it that may be one turn with
   * it.
   */
  next(engine: QueryEngine): NextPrompt | undefined;
  /** These prompts joined the running turn. */
  joined(keys: readonly string[]): void;
  /** The next message is the result of the turn of `next`. */
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

type Content = NextPrompt['content'];

interface Taken {
  readonly content: Content;
  readonly message: SDKUserMessage | undefined;
}

const hasUuid = (
  message: SDKUserMessage | undefined,
): message is SDKUserMessage & { readonly uuid: string } => message?.uuid !== undefined;

class Feed implements PromptFeed {
  readonly #engine: () => Promise<QueryEngine>;
  readonly #listener: PromptListener;
  readonly #lifecycle: PromptLifecycle;
  /** uuids of all prompts so far. */
  readonly #seen = new Set<string>();
  /** Queued prompts, by key. */
  readonly #known = new Map<string, SDKUserMessage>();
  #count = 0;
  /**
   * Key of the prompt that arrived when nothing ran and nothing was queued: its turn begins without those
   * behind it.
   */
  #opener: string | undefined;
  #isWorking = false;
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

  next(session: QueryEngine): NextPrompt | undefined {
    const first = session.queue.take();
    if (first === undefined) return undefined;
    const taken: Taken[] = [{ content: first.content, message: this.#known.get(first.key ?? '') }];
    if (first.key !== this.#opener) this.#takeJoining(taken as [Taken], session);
    this.#opener = undefined;
    this.#isWorking = true;
    // Prompts that joined a running turn have left the queue too.
    const left = new Set(session.queue.list().map(({ key }) => key));
    for (const key of this.#known.keys()) if (!left.has(key)) this.#known.delete(key);
    const message = taken.at(-1)?.message;
    const earlier = taken.slice(0, -1).flatMap(({ message: joined }) => (hasUuid(joined) ? [joined] : []));
    for (const { uuid, message: said } of earlier) session.controls.repeatPrompt(uuid, said.content);
    for (const { uuid } of earlier) this.#lifecycle.started(uuid);
    this.#lifecycle.started(message?.uuid);
    return {
      content: joinedContent(taken.map(({ content }) => content) as [Content]),
      uuid: message?.uuid,
      joinedUuids: earlier.map(({ uuid }) => uuid),
      origin: message?.origin,
      shouldQuery: message?.shouldQuery,
      verbatim: message?.client_composed,
    };
  }

  #takeJoining(taken: [Taken, ...Taken[]], session: QueryEngine): void {
    const begins = taken[0].message;
    for (;;) {
      const [next] = session.queue.list();
      const message = next && this.#known.get(next.key);
      if (begins === undefined || message === undefined || !mayJoin(begins, message)) return;
      const item = session.queue.take();
      if (item !== undefined) taken.push({ content: item.content, message });
    }
  }

  joined(keys: readonly string[]): void {
    for (const key of keys) this.#lifecycle.joined(this.#known.get(key)?.uuid);
  }

  turnEnding(reason: TerminalReason | undefined): void {
    this.#lifecycle.turnEnding(isAbort(reason));
  }

  turnEnded(reason: TerminalReason | undefined): void {
    this.#isWorking = false;
    this.#lifecycle.turnEnded(isAbort(reason));
  }

  withdraw(session: QueryEngine, uuid: string): boolean {
    const [gone] = session.queue.withdraw([uuid]);
    if (gone !== undefined) this.#lifecycle.cancelled(gone);
    return gone !== undefined;
  }

  withdrawAll(session: QueryEngine): readonly string[] {
    const prompts = session.queue.list().filter(({ key }) => this.#known.has(key));
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
    this.#known.set(key, message);
    if (!this.#isWorking && session.queue.list().length === 0) this.#opener = key;
    this.#listener.arrived();
    this.#lifecycle.queued(message.uuid);
    await this.#enqueue(session, {
      key,
      content: message.message.content,
      uuid: message.uuid,
      origin: message.origin,
      priority: message.priority,
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

const isAbort = (reason: TerminalReason | undefined): boolean =>
  reason === 'aborted_streaming' || reason === 'aborted_tools';

/** Moves queued prompts from one session to the one that follows it. */
export async function handQueueOn(from: QueryEngine, to: QueryEngine): Promise<void> {
  for (let item = from.queue.take(); item !== undefined; item = from.queue.take()) await to.queue.put(item);
}

/** A notice about ended background tasks, as a prompt. */
export function noticeFrom(session: QueryEngine): NextPrompt | undefined {
  const notice = session.tasks.takeNotice();
  return notice && { ...notice, uuid: undefined, joinedUuids: [], shouldQuery: undefined, verbatim: true };
}

export function userMessage(content: SDKUserMessage['message']['content']): SDKUserMessage {
  return { type: 'user', message: { role: 'user', content }, parent_tool_use_id: null };
}
