/** The index of deferred tools (F155): their names. */
import type { View } from '../protocol/view.ts';
import { andThen } from '../util/and-then.ts';
import type { AttachmentSource, FoundAttachment } from './source.ts';
import { toldOnce } from './told-once.ts';

export interface DeferredToolsSource extends AttachmentSource {
  /** What is to be said with a prompt. */
  withPrompt(view: View): readonly FoundAttachment[] | Promise<readonly FoundAttachment[]>;
  /** The whole index again, behind a summary. */
  whole(): Promise<readonly FoundAttachment[]>;
}

/** `names`: the same array while nothing changed. */
export function deferredTools(
  names: () => readonly string[] | Promise<readonly string[]>,
): DeferredToolsSource {
  const index = toldOnce<string>({
    type: 'deferred_tools',
    nameOf: String,
    textOf: String,
    whenAdded: (added) => [
      `These tools can be loaded with ToolSearch, by "select:" and their names or by a search. Load one before you call it:\n${added.join('\n')}`,
    ],
    whenRemoved: (removed) => `These tools are gone: ${removed.join(', ')}.`,
  });
  return {
    name: 'deferred_tools',
    collect: ({ view }) => andThen(names(), (now) => index.news(now, view)),
    withPrompt: (view) => andThen(names(), (now) => index.news(now, view)),
    whole: async () => index.whole(await names()),
  };
}
