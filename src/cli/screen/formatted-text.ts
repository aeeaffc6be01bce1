/** The answer of a live view as formatted Markdown. Loaded where a user is watching only. */
import { createHighlighter } from '../../terminal/markup/highlight.ts';
import { createMarkdown } from '../../terminal/markup/markdown-stream.ts';
import type { Row } from '../../terminal/renderer/frame.ts';
import type { Theme } from '../../terminal/text/theme.ts';

export interface FormattedText {
  /** Adds text; gives the rows of what it finishes: a paragraph, a row of a list, a line of code. */
  push(text: string): readonly Row[];
  /** Rows of the rest. The next text begins a new one. */
  end(): readonly Row[];
}

/** `columns` is evaluated at each use: windows are resized. */
export function createFormattedText(theme: Theme, columns: () => number): FormattedText {
  const options = { theme, highlighter: createHighlighter(theme) };
  let stream = createMarkdown(options);
  return {
    push(text) {
      stream.push(text);
      return stream.takeClosed(columns());
    },
    end() {
      const rows = stream.end(columns());
      stream = createMarkdown(options);
      return rows;
    },
  };
}
