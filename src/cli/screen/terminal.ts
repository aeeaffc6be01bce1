/**
 * Where the live view is written: running text, whole lines, and one transient status line that is wiped before
 * anything else is written and never shown in the middle of a line, so it cannot garble output.
 */
import type { Output } from '../output.ts';
import { cutToWidth, displayWidth } from './width.ts';

export interface Terminal {
  /** A person watches: status line, questions. */
  readonly live: boolean;
  readonly columns: number;
  /** Running text; may end in mid-line. */
  write(text: string): Promise<void>;
  /** One line of its own. */
  line(text: string): Promise<void>;
  /** Closes an unfinished line. */
  endLine(): Promise<void>;
  /** Replaces the status line; undefined wipes it. Plain text: it is cut to the width. */
  status(text: string | undefined): void;
}

export interface TerminalOptions {
  readonly output: Output;
  readonly live: boolean;
  /** Asked at each use: windows are resized. */
  columns(): number;
  paintStatus?(text: string): string;
}

const WIPE_LINE = '\r\x1b[2K';

export function createTerminal(options: TerminalOptions): Terminal {
  const { output, live } = options;
  const paint = options.paintStatus ?? ((text: string) => text);
  let atLineStart = true;
  let statusShown = false;

  /** One write call for wipe and text, so that nothing can come between them. */
  const emit = (text: string): Promise<void> => {
    const wipe = statusShown ? WIPE_LINE : '';
    statusShown = false;
    if (text !== '') atLineStart = text.endsWith('\n');
    return wipe + text === '' ? Promise.resolve() : output.write(wipe + text);
  };

  const terminal: Terminal = {
    live,
    get columns() {
      return options.columns();
    },
    write: emit,
    line: (text) => emit(`${atLineStart ? '' : '\n'}${text}\n`),
    endLine: () => (atLineStart ? Promise.resolve() : emit('\n')),
    status(text) {
      if (!live || !atLineStart) return;
      if (text === undefined) {
        void emit('').catch(() => undefined);
        return;
      }
      const shown = cutToWidth(text, options.columns() - 1);
      statusShown = displayWidth(shown) > 0;
      // A failed status write is not worth a word: the next real write reports the closed output.
      void output.write(WIPE_LINE + paint(shown)).catch(() => undefined);
    },
  };
  return terminal;
}
