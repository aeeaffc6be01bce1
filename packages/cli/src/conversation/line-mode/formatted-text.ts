/** The answer as formatted Markdown, as its paragraphs and lines close; loaded where a person watches. */
import { createHighlighter } from '@turnwright/terminal/markup/highlight.ts';
import { createMarkdown } from '@turnwright/terminal/markup/markdown-stream.ts';
import type { Theme } from '@turnwright/terminal/text/theme.ts';
import type { TextLines } from './item-lines.ts';

/** `columns` is evaluated at each use: windows are resized. */
export function createFormattedText(theme: Theme, columns: () => number): TextLines {
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
