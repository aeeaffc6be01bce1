/** The transcript as whole lines, which are written once. */
import { visible } from '@turnwright/terminal/text/visible.ts';
import type { WholeItem } from '../view/item-rows.ts';
import type { TranscriptItem } from '../view/transcript-item.ts';

/** Text as it streams, in lines. */
export interface TextLines {
  /** Adds text; gives the lines that it finishes. */
  push(text: string): readonly string[];
  /** The rest. The next text begins a new line. */
  end(): readonly string[];
}

/** The text as it is; what is shorter than a line waits for the rest of it. */
export function plainText(): TextLines {
  let unfinished = '';
  return {
    push(text) {
      const lines = (unfinished + text).split(/\r?\n/);
      unfinished = lines.pop() ?? '';
      return lines.map((line) => visible(line));
    },
    end() {
      const rest = unfinished === '' ? [] : [visible(unfinished)];
      unfinished = '';
      return rest;
    },
  };
}

interface ItemLinesOptions {
  /** Writes one line. */
  line(text: string): void;
  readonly text: TextLines;
  linesOf(item: WholeItem): readonly string[];
}

export class ItemLines {
  readonly #options: ItemLinesOptions;

  constructor(options: ItemLinesOptions) {
    this.#options = options;
  }

  add(items: readonly TranscriptItem[]): void {
    const { line, text, linesOf } = this.#options;
    for (const item of items) {
      if (item.kind === 'delta') {
        text.push(item.text).forEach(line);
        continue;
      }
      const lines = item.kind === 'textEnd' ? [] : linesOf(item);
      if (item.kind === 'textEnd' || lines.length > 0) this.endLine();
      lines.forEach(line);
    }
  }

  /** Ends an unfinished line of the answer, before something else is written. */
  endLine = (): void => this.#options.text.end().forEach(this.#options.line);
}
