/**
 * The prompts of a session that wait: in memory, fed by the inbox when there is one. A waiting prompt joins
 * the running turn as an attachment, or begins a submission of its own.
 */

import type { Scope } from '@turnwright/base/async/scope.ts';
import { extended } from '@turnwright/base/collections/extended.ts';
import type { Life } from '../../protocol/life.ts';
import type { Ids, Inbox, InboxItem, InboxPriority } from '../../protocol/ports.ts';
import { joinedContent, mayJoin, type Prompt, type QueuedPrompt, type WaitingPrompt } from './prompt.ts';

/** Prompts that wait while a submission runs, as a host puts and takes them. */
export interface SessionQueue {
  /** For the running submission, which it joins when it can; see `take` for what did not join it. */
  put(prompt: QueuedPrompt): Promise<void>;
  /** The next prompt, by priority and then age; it is then the caller's to submit. */
  take(): QueuedPrompt | undefined;
  /** In the order in which they would be taken. */
  list(): readonly WaitingPrompt[];
  /** Returns the keys that were there and had not begun to join the running submission. */
  withdraw(keys: readonly string[]): readonly string[];
  /**
   * Calls back with the keys of prompts that joined the running submission, until the returned function is
   * called.
   */
  onJoined(listener: (keys: readonly string[]) => void): () => void;
  /** Calls back with the prompts that the engine took to make one submission of them. */
  onTaken(listener: (prompts: readonly WaitingPrompt[]) => void): void;
}

interface QueueParts {
  readonly sessionId: string;
  readonly scope: Pick<Scope, 'signal'>;
  readonly ids: Ids;
  readonly inbox: Inbox | undefined;
  readonly stderr: ((line: string) => void) | undefined;
}

type PutItem = Omit<InboxItem, 'n'>;
/** What an inbox does not keep of a prompt that was put by this process. */
type TurnOptions = Pick<QueuedPrompt, 'joins' | 'shouldQuery' | 'verbatim'>;

const BY_PRIORITY: readonly InboxPriority[] = ['now', 'next', 'later'];
const NO_KEYS: ReadonlySet<string> = new Set();

export class PromptQueue implements SessionQueue {
  readonly #parts: QueueParts;
  readonly #waiting = new Map<string, InboxItem>();
  /** Numbers of all items so far: the same key twice is one item, also after it was consumed. */
  readonly #numbers = new Map<string, number>();
  #turnOptions: Map<string, TurnOptions> | undefined;
  /** Attached to the turn of this lifetime, which has not acknowledged them yet. */
  #offered: { readonly keys: readonly string[]; readonly turn: Life } | undefined;
  /**
   * Key of the prompt that arrived when nothing ran and nothing waited: its turn begins without those behind
   * it.
   */
  #opener: string | undefined;
  #isWorking = false;
  #refuse = () => {};
  #joinedListeners: readonly ((keys: readonly string[]) => void)[] = [];
  #takenListeners: readonly ((prompts: readonly WaitingPrompt[]) => void)[] = [];
  #arrivalListeners: readonly ((item: InboxItem) => void)[] = [];
  #cursor = 0;
  #consumed = NO_KEYS;
  #following: Promise<void> | undefined;

  constructor(parts: QueueParts) {
    this.#parts = parts;
  }

  /** `refuse` throws when no more prompts are taken. */
  refuseWhen(refuse: () => void): void {
    this.#refuse = refuse;
  }

  async put({ key, content, uuid, origin, priority = 'next', ...turn }: QueuedPrompt): Promise<void> {
    this.#refuse();
    const item: PutItem = {
      key: key ?? uuid ?? this.#parts.ids.uuid(),
      priority,
      content,
      ...(uuid !== undefined && { uuid }),
      ...(origin !== undefined && { origin }),
    };
    if (turn.joins !== undefined || turn.shouldQuery !== undefined || turn.verbatim !== undefined) {
      this.#turnOptions ??= new Map();
      this.#turnOptions.set(item.key, turn);
    }
    if (!this.#isWorking && this.#waiting.size === 0) this.#opener = item.key;
    await this.enqueue(item);
  }

  /** Adds an item to the inbox, from the host or from the engine. */
  async enqueue(item: PutItem): Promise<void> {
    const { inbox, sessionId } = this.#parts;
    if (inbox === undefined) this.#arrived(item);
    else await inbox.put(sessionId, item).then(() => this.#fetch());
  }

  take(): WaitingPrompt | undefined {
    const [next] = this.list();
    if (next !== undefined) this.acknowledge([next.key]);
    return next;
  }

  /**
   * Takes the next prompt, with those behind it that may be one turn with it; the running turn of the engine
   * is from here on that of this prompt, until `turnEnded`.
   */
  next(): Prompt | undefined {
    const first = this.take();
    if (first === undefined) return undefined;
    const taken: [WaitingPrompt, ...WaitingPrompt[]] = [first];
    while (first.key !== this.#opener) {
      const [next] = this.list();
      if (next === undefined || !mayJoin(first, next)) break;
      this.acknowledge([next.key]);
      taken.push(next);
    }
    this.#opener = undefined;
    this.#isWorking = true;
    for (const listener of this.#takenListeners) listener(taken);
    const { uuid, origin, shouldQuery, verbatim } = taken.at(-1) as WaitingPrompt;
    const joinedUuids = taken.slice(0, -1).flatMap((joined) => joined.uuid ?? []);
    return { content: joinedContent(taken), uuid, joinedUuids, origin, shouldQuery, verbatim };
  }

  turnEnded(): void {
    this.#isWorking = false;
  }

  list(): readonly WaitingPrompt[] {
    return this.peek().map(({ n: _, byHook: __, ...item }) =>
      extended(item, this.#turnOptions?.get(item.key)),
    );
  }

  withdraw(keys: readonly string[]): readonly string[] {
    return this.acknowledge(keys.filter((key) => !this.#isJoining(key)));
  }

  onJoined(listener: (keys: readonly string[]) => void): () => void {
    // A running submission replays the prompts that joined it before the host is notified of their state.
    this.#joinedListeners = [listener, ...this.#joinedListeners];
    return () => {
      this.#joinedListeners = this.#joinedListeners.filter((other) => other !== listener);
    };
  }

  onTaken(listener: (prompts: readonly WaitingPrompt[]) => void): void {
    this.#takenListeners = [...this.#takenListeners, listener];
  }

  /** Calls the listener at each new item. Returns a function that removes it. */
  onArrival(listener: (item: InboxItem) => void): () => void {
    this.#arrivalListeners = [...this.#arrivalListeners, listener];
    return () => {
      this.#arrivalListeners = this.#arrivalListeners.filter((other) => other !== listener);
    };
  }

  /**
   * By priority, then by arrival. Removes nothing: a run that stops early loses none (L6). Default: all
   * priorities.
   */
  peek(priorities: readonly InboxPriority[] = BY_PRIORITY): readonly InboxItem[] {
    if (this.#waiting.size === 0) return [];
    const items = [...this.#waiting.values()];
    return BY_PRIORITY.filter((priority) => priorities.includes(priority)).flatMap((priority) =>
      items.filter((item) => item.priority === priority),
    );
  }

  /** The turn of this lifetime was shown these; until it acknowledges them, they cannot be withdrawn. */
  offer(keys: readonly string[], turn: Life): void {
    this.#offered = { keys, turn };
  }

  /** Removes consumed items; unknown keys are ignored. Returns the keys that were in the queue. */
  acknowledge(keys: readonly string[]): readonly string[] {
    for (const key of keys) this.#turnOptions?.delete(key);
    return keys.filter((key) => this.#waiting.delete(key));
  }

  /** The running turn took these, or they were refused. */
  joined(keys: readonly string[]): void {
    if (keys.length > 0) for (const listener of this.#joinedListeners) listener(keys);
  }

  /** Begins to follow the inbox, but for what an earlier process consumed; later calls change nothing. */
  follow(consumed?: ReadonlySet<string>): Promise<void> {
    this.#consumed = consumed ?? this.#consumed;
    this.#following ??= this.#follow();
    return this.#following;
  }

  #isJoining(key: string): boolean {
    return this.#offered?.turn.aborted === false && this.#offered.keys.includes(key);
  }

  #arrived(given: PutItem): void {
    if (this.#numbers.has(given.key)) return;
    const item: InboxItem = extended(given, { n: this.#numbers.size + 1 });
    this.#numbers.set(item.key, item.n);
    this.#waiting.set(item.key, item);
    for (const listener of this.#arrivalListeners) listener(item);
  }

  async #follow(): Promise<void> {
    const { inbox, stderr } = this.#parts;
    if (inbox === undefined) return;
    await this.#fetch();
    void this.#watch(inbox).catch((error: unknown) =>
      stderr?.(`The inbox cannot be followed any more: ${String(error)}`),
    );
  }

  async #watch(inbox: Inbox): Promise<void> {
    const { scope, sessionId } = this.#parts;
    for await (const _ of inbox.wake(sessionId, scope.signal)) await this.#fetch();
  }

  async #fetch(): Promise<void> {
    const { inbox, sessionId } = this.#parts;
    for (const item of (await inbox?.after(sessionId, this.#cursor)) ?? []) {
      this.#cursor = Math.max(this.#cursor, item.n);
      if (!this.#consumed.has(item.key) && !this.#consumed.has(item.uuid ?? item.key)) this.#arrived(item);
    }
  }
}
