/**
 * What is told once, where the conversation stands when it is there, and then only as it changes: so requests before and
 * after share their bytes (L3).
 */
import type { View } from '../protocol/view.ts';
import { changesBetween } from '../util/changes.ts';
import { reminder } from '../util/reminder.ts';
import { type FoundAttachment, NOTHING_FOUND } from './source.ts';

export interface ToldOnceOptions<Item> {
  /** Of the attachment, which carries `added` items and `removed` names. */
  readonly type: string;
  nameOf(item: Item): string;
  /** Whatever of it is told; another one is told again. */
  textOf(item: Item): string;
  /** What is said of items that are there, and of names that are gone. Each has at least one. */
  whenAdded(items: readonly Item[]): readonly string[];
  whenRemoved(names: readonly string[]): string;
}

export interface ToldOnce<Item> {
  /** What the conversation has to be told now. `now`: the same array while nothing changed. */
  news(now: readonly Item[], view: View): readonly FoundAttachment[];
  /** All of it again, behind a summary. */
  whole(now: readonly Item[]): readonly FoundAttachment[];
}

export function toldOnce<Item>(options: ToldOnceOptions<Item>): ToldOnce<Item> {
  const { type, nameOf, textOf } = options;
  let seen: readonly Item[] | undefined;
  let told: ReadonlyMap<string, string> | undefined;

  const textsOf = (items: readonly Item[]) => new Map(items.map((item) => [nameOf(item), textOf(item)]));
  const note = (added: readonly Item[], removed: readonly string[]): FoundAttachment => ({
    attachment: { type, added, removed },
    rendered: [
      reminder(
        ...(added.length === 0 ? [] : options.whenAdded(added)),
        ...(removed.length === 0 ? [] : [options.whenRemoved(removed)]),
      ),
    ],
  });
  /** By an earlier life of the session, too. */
  const toldIn = (view: View): ReadonlyMap<string, string> => {
    const found = new Map<string, string>();
    for (const message of view) {
      if (message.type !== 'attachment' || message.attachment.type !== type) continue;
      const { added, removed } = message.attachment as { added?: unknown; removed?: unknown };
      for (const item of Array.isArray(added) ? added : []) found.set(nameOf(item), textOf(item));
      for (const name of Array.isArray(removed) ? removed : []) found.delete(String(name));
    }
    return found;
  };

  return {
    news(now, view) {
      if (now === seen || (told === undefined && now.length === 0)) return NOTHING_FOUND;
      const texts = textsOf(now);
      const changed = changesBetween(told ?? toldIn(view), texts);
      seen = now;
      told = texts;
      if (changed === undefined) return NOTHING_FOUND;
      const fresh = new Map(changed.fresh);
      return [
        note(
          now.filter((item) => fresh.has(nameOf(item))),
          changed.removed,
        ),
      ];
    },
    whole(now) {
      seen = now;
      told = textsOf(now);
      return now.length === 0 ? NOTHING_FOUND : [note(now, [])];
    },
  };
}
