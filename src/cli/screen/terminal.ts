/**
 * Output of the live view: running text, whole lines, and one transient status line, which is erased before
 * other output and never shown within a line.
 */

import { cells, cut } from '../../terminal/text/cells.ts';
import { wrap } from '../../terminal/text/wrap.ts';
import type { Output } from '../output.ts';
import { createWordWrap } from './word-wrap.ts';

export interface Terminal {
  /** A user is watching: status line and questions are possible. */
  readonly live: boolean;
  readonly columns: number;
  /** Running text, wrapped between words where a user is watching; may end within a line. */
  write(text: string): Promise<void>;
  /** One line of its own, as it is. */
  line(text: string): Promise<void>;
  /** The same for sentences, wrapped between words where a user is watching. `hang`: default two blanks. */
  prose(text: string, hang?: string): Promise<void>;
  /** Ends an unfinished line. */
  endLine(): Promise<void>;
  /** Replaces the status line; undefined erases it. Plain text, cut to the width. */
  status(text: string | undefined): void;
}

interface TerminalOptions {
  readonly output: Output;
  readonly live: boolean;
  /** Evaluated at each use: windows are resized. */
  columns(): number;
  paintStatus?(text: string): string;
}

const WIPE_LINE = '\r\x1b[2K';

export function createTerminal(options: TerminalOptions): Terminal {
  const { output, live } = options;
  const paint = options.paintStatus ?? ((text: string) => text);
  let atLineStart = true;
  let statusShown = false;
  const running = createWordWrap(options.columns);

  /** One write call for both, so that no other output comes between them. */
  const emit = (text: string): Promise<void> => {
    const wipe = statusShown ? WIPE_LINE : '';
    statusShown = false;
    if (text !== '') atLineStart = text.endsWith('\n');
    return wipe + text === '' ? Promise.resolve() : output.paint(text, wipe);
  };

  /** What ends an unfinished line. */
  const lineEnd = (): string => {
    const rest = running.end();
    return rest === '' && atLineStart ? '' : `${rest}\n`;
  };

  const terminal: Terminal = {
    live,
    get columns() {
      return options.columns();
    },
    write(text) {
      const shown = live ? running.add(text) : text;
      return shown === '' ? Promise.resolve() : emit(shown);
    },
    line: (text) => emit(`${lineEnd()}${text}\n`),
    prose: (text, hang = '  ') =>
      terminal.line(live ? wrap(text, options.columns(), { hang }).join('\n') : text),
    endLine() {
      const end = lineEnd();
      return end === '' ? Promise.resolve() : emit(end);
    },
    status(text) {
      if (!live || !atLineStart) return;
      if (text === undefined) {
        void emit('').catch(() => undefined);
        return;
      }
      const shown = cut(text, options.columns() - 1);
      statusShown = cells(shown) > 0;
      // A failed status write is ignored: the next real write reports the closed output.
      void output.paint(paint(shown), WIPE_LINE).catch(() => undefined);
    },
  };
  return terminal;
}
