/**
 * Markdown as it streams: rows of finished blocks once, rows of the unfinished one as often as they are asked
 * for.
 */
import type { Row } from '../renderer/frame.ts';

export interface MarkdownStream {
  push(text: string): void;
  /** Rows of the blocks that were finished since the last call. */
  takeClosed(columns: number): readonly Row[];
  /** The last rows of the unfinished block, at most `maxRows`. */
  open(columns: number, maxRows: number): readonly Row[];
  /** The text is over: rows of what is left. */
  end(columns: number): readonly Row[];
}
