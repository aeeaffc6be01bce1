/**
 * Notices that are added to the conversation once, and then only as they change, so that consecutive requests
 * share their bytes (L3).
 */

import { changesBetween } from '@turnwright/base/collections/map-diff.ts';
import { reminder } from '@turnwright/base/text/text-blocks.ts';
import type { View } from '../protocol/model/view.ts';
import { type FoundAttachment, NOTHING_FOUND } from './source.ts';

export interface ToldOnceOptions<Item> {
  /** Type of the attachment, which carries `added` items and `removed` names. */
  readonly type: string;
  nameOf(item: Item): string;
  /** Text of an item; when it changes, the item is announced again. */
  textOf(item: Item): string;
  /** Texts about added items and removed names. Each is called with at least one. */
  whenAdded(items: readonly Item[]): readonly string[];
  whenRemoved(names: readonly string[]): string;
}

interface ToldOnce<Item> {
  /** What must be announced now. `now`: the same array while nothing changed. */
  news(now: readonly Item[], view: View): readonly FoundAttachment[];
  /** All items again, behind a summary. */
  whole(now: readonly Item[]): readonly FoundAttachment[];
}

export function toldOnce<Item>(options: ToldOnceOptions<Item>): ToldOnce<Item> {
  return new Told(options);
}

class Told<Item> implements ToldOnce<Item> {
  readonly #options: ToldOnceOptions<Item>;
  #seen: readonly Item[] | undefined;
  #told: ReadonlyMap<string, string> | undefined;

  constructor(options: ToldOnceOptions<Item>) {
    this.#options = options;
  }

  news(now: readonly Item[], view: View): readonly FoundAttachment[] {
    if (now === this.#seen || (this.#told === undefined && now.length === 0)) return NOTHING_FOUND;
    const texts = this.#textsOf(now);
    const changed = changesBetween(this.#told ?? this.#toldIn(view), texts);
    this.#seen = now;
    this.#told = texts;
    if (changed === undefined) return NOTHING_FOUND;
    const fresh = new Map(changed.fresh);
    const added = now.filter((item) => fresh.has(this.#options.nameOf(item)));
    return [this.#note(added, changed.removed)];
  }

  whole(now: readonly Item[]): readonly FoundAttachment[] {
    this.#seen = now;
    this.#told = this.#textsOf(now);
    return now.length === 0 ? NOTHING_FOUND : [this.#note(now, [])];
  }

  #textsOf(items: readonly Item[]): ReadonlyMap<string, string> {
    const { nameOf, textOf } = this.#options;
    return new Map(items.map((item) => [nameOf(item), textOf(item)]));
  }

  #note(added: readonly Item[], removed: readonly string[]): FoundAttachment {
    const { type, whenAdded, whenRemoved } = this.#options;
    return {
      attachment: { type, added, removed },
      rendered: [
        reminder(
          ...(added.length === 0 ? [] : whenAdded(added)),
          ...(removed.length === 0 ? [] : [whenRemoved(removed)]),
        ),
      ],
    };
  }

  /** Includes announcements of previous processes. */
  #toldIn(view: View): ReadonlyMap<string, string> {
    const { type, nameOf, textOf } = this.#options;
    const found = new Map<string, string>();
    for (const message of view) {
      if (message.type !== 'attachment' || message.attachment.type !== type) continue;
      const { added, removed } = message.attachment as { added?: unknown; removed?: unknown };
      for (const item of Array.isArray(added) ? added : []) found.set(nameOf(item), textOf(item));
      for (const name of Array.isArray(removed) ? removed : []) found.delete(String(name));
    }
    return found;
  }
}
