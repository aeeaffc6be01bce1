import type { InboxItem, InboxPriority } from '../protocol/ports.ts';

const PRIORITY_ORDER: readonly InboxPriority[] = ['now', 'next', 'later'];

/** Items of these priorities, highest first, otherwise in order of arrival. */
function byPriority(items: readonly InboxItem[], priorities: readonly InboxPriority[]): readonly InboxItem[] {
  if (items.length === 0) return items;
  return PRIORITY_ORDER.filter((priority) => priorities.includes(priority)).flatMap((priority) =>
    items.filter((item) => item.priority === priority),
  );
}

type QueuedInput = Omit<InboxItem, 'n'>;

/**
 * Prompts for a running session that were not consumed yet. Items stay until they are acknowledged, so a run
 * that stops early loses none (L6).
 */
export interface InputQueue {
  /** Putting the same key twice is one item, also after it was consumed; `fresh` says whether it was new. */
  put(input: QueuedInput): { readonly n: number; readonly fresh: boolean };
  /** By priority, then by arrival. Removes nothing. Default: all priorities. */
  peek(priorities?: readonly InboxPriority[]): readonly InboxItem[];
  /** Removes consumed items; unknown keys are ignored. Returns the keys that were in the queue. */
  acknowledge(keys: readonly string[]): readonly string[];
  /** Removes and returns all items in order: a cancelled turn returns them to its caller (F137). */
  drain(): readonly InboxItem[];
  readonly size: number;
  /** Calls the listener at each new item. Returns a function that removes it. */
  onArrival(listener: (item: InboxItem) => void): () => void;
  /**
   * Calls the listener at each new item of priority `now`, which pre-empts the running turn. Returns a
   * function that removes it.
   */
  onNow(listener: (item: InboxItem) => void): () => void;
}

export function createInputQueue(): InputQueue {
  return new WaitingInput();
}

class WaitingInput implements InputQueue {
  readonly #waiting = new Map<string, InboxItem>();
  readonly #numbers = new Map<string, number>();
  #listeners: readonly ((item: InboxItem) => void)[] = [];

  get size(): number {
    return this.#waiting.size;
  }

  put(input: QueuedInput): { readonly n: number; readonly fresh: boolean } {
    const known = this.#numbers.get(input.key);
    if (known !== undefined) return { n: known, fresh: false };
    const item: InboxItem = { ...input, n: this.#numbers.size + 1 };
    this.#numbers.set(item.key, item.n);
    this.#waiting.set(item.key, item);
    for (const listener of this.#listeners) listener(item);
    return { n: item.n, fresh: true };
  }

  peek(priorities: readonly InboxPriority[] = PRIORITY_ORDER): readonly InboxItem[] {
    return byPriority([...this.#waiting.values()], priorities);
  }

  acknowledge(keys: readonly string[]): readonly string[] {
    return keys.filter((key) => this.#waiting.delete(key));
  }

  drain(): readonly InboxItem[] {
    const items = this.peek();
    this.#waiting.clear();
    return items;
  }

  onNow(listener: (item: InboxItem) => void): () => void {
    return this.onArrival((item) => {
      if (item.priority === 'now') listener(item);
    });
  }

  onArrival(listener: (item: InboxItem) => void): () => void {
    this.#listeners = [...this.#listeners, listener];
    return () => {
      this.#listeners = this.#listeners.filter((other) => other !== listener);
    };
  }
}
