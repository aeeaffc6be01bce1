/** The index of deferred tools (F155): their names. */
import type { View } from '../protocol/model/view.ts';
import { type ToldOnceOptions, toldOnce } from './incremental-notice.ts';
import type { AttachmentInput, AttachmentSource, FoundAttachment } from './source.ts';

interface DeferredToolsSource extends AttachmentSource {
  /** Attachments for a prompt. */
  withPrompt(view: View): readonly FoundAttachment[] | Promise<readonly FoundAttachment[]>;
  /** The complete index again, behind a summary. */
  whole(): Promise<readonly FoundAttachment[]>;
}

type Names = () => readonly string[] | Promise<readonly string[]>;

/** `names`: the same array while nothing changed. */
export function indexDeferredTools(names: Names): DeferredToolsSource {
  return new Index(names);
}

const WORDS: ToldOnceOptions<string> = {
  type: 'deferred_tools',
  nameOf: String,
  textOf: String,
  whenAdded: (added) => [
    `These tools can be loaded with ToolSearch, by "select:" and their names or by a search. Load one before you call it:\n${added.join('\n')}`,
  ],
  whenRemoved: (removed) => `These tools are gone: ${removed.join(', ')}.`,
};

class Index implements DeferredToolsSource {
  readonly name = 'deferred_tools';
  readonly #names: Names;
  readonly #told = toldOnce(WORDS);

  constructor(names: Names) {
    this.#names = names;
  }

  collect({ view }: AttachmentInput): ReturnType<DeferredToolsSource['withPrompt']> {
    return this.withPrompt(view);
  }

  withPrompt(view: View): ReturnType<DeferredToolsSource['withPrompt']> {
    const names = this.#names();
    return names instanceof Promise
      ? names.then((now) => this.#told.news(now, view))
      : this.#told.news(names, view);
  }

  async whole(): Promise<readonly FoundAttachment[]> {
    return this.#told.whole(await this.#names());
  }
}
