/** What an editor is given. */
import type { Theme } from '../text/theme.ts';
import type { NamedImage } from './chips.ts';
import type { ClipboardImage } from './clipboard.ts';
import type { CompletionSource } from './completion.ts';
import type { History } from './prompt-history.ts';

export interface EditorOptions {
  readonly theme: Theme;
  readonly history: History;
  readonly sources: readonly CompletionSource[];
  readonly images: {
    /** The images that a pasted text names; undefined unless it is nothing but paths of images. */
    named(text: string): readonly NamedImage[] | undefined;
    clipboard(): Promise<ClipboardImage>;
  };
  /** Shown while there is no text. */
  readonly placeholder?: () => string;
  /** Something else than a key has changed it: candidates, an image, another draft. A new frame is due. */
  readonly onChange: () => void;
  /** A sentence for the user. */
  readonly onProblem: (sentence: string) => void;
}
