/**
 * The index of deferred tools (F155): their names, told once, and then only what came and went. It stands in the
 * conversation, so that requests before and after it share their bytes.
 */
import type { View } from '../protocol/view.ts';
import { reminder } from './reminder.ts';
import { type AttachmentSource, type FoundAttachment, NOTHING_FOUND } from './source.ts';

export interface DeferredToolsSource extends AttachmentSource {
  /** What is to be said with a prompt. */
  withPrompt(view: View): Promise<readonly FoundAttachment[]>;
  /** The whole index again, behind a summary. */
  whole(): Promise<readonly FoundAttachment[]>;
}

/** `names`: the same array while nothing changed. */
export function deferredTools(names: () => Promise<readonly string[]>): DeferredToolsSource {
  let seen: readonly string[] | undefined;
  let told: Set<string> | undefined;

  const changed = async (view: View): Promise<readonly FoundAttachment[]> => {
    const now = await names();
    if (now === seen || (told === undefined && now.length === 0)) return NOTHING_FOUND;
    // An earlier life of the session may have told them.
    told ??= toldIn(view);
    const before = told;
    const added = now.filter((name) => !before.has(name));
    const removed = [...before].filter((name) => !now.includes(name));
    seen = now;
    told = new Set(now);
    return added.length + removed.length === 0 ? NOTHING_FOUND : [note(added, removed)];
  };

  return {
    name: 'deferred_tools',
    collect: ({ view }) => changed(view),
    withPrompt: changed,
    async whole() {
      const now = await names();
      seen = now;
      told = new Set(now);
      return now.length === 0 ? NOTHING_FOUND : [note(now, [])];
    },
  };
}

function note(added: readonly string[], removed: readonly string[]): FoundAttachment {
  const paragraphs = [
    ...(added.length === 0
      ? []
      : [
          `These tools can be loaded with ToolSearch, by "select:" and their names or by a search. Load one before you call it:\n${added.join('\n')}`,
        ]),
    ...(removed.length === 0 ? [] : [`These tools are gone: ${removed.join(', ')}.`]),
  ];
  return { attachment: { type: 'deferred_tools', added, removed }, rendered: [reminder(...paragraphs)] };
}

function toldIn(view: View): Set<string> {
  const told = new Set<string>();
  for (const message of view) {
    if (message.type !== 'attachment' || message.attachment.type !== 'deferred_tools') continue;
    const { added, removed } = message.attachment as { added?: unknown; removed?: unknown };
    for (const name of Array.isArray(added) ? added : []) told.add(String(name));
    for (const name of Array.isArray(removed) ? removed : []) told.delete(String(name));
  }
  return told;
}
