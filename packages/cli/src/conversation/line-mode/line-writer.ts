/**
 * Whole lines, each written once. Below them is at most one question without an end of line, or one
 * transient status line, which is wiped before anything else is written.
 */
import type { Row } from '@turnwright/terminal/renderer/frame.ts';
import { visible } from '@turnwright/terminal/text/visible.ts';

const KEPT_LINES = 10_000;
const WIPE_LINE = '\r\x1b[2K';

export class LineWriter {
  readonly #write: (text: string, wipe: string) => void;
  readonly #written: string[] = [];
  /** Lines that wait for the end of a question. */
  #waiting: string[] = [];
  #held = 0;
  #isAtPrompt = false;
  #hasStatus = false;

  /** `write`: gets `wipe` as well, which moves the cursor in front of the text. */
  constructor(write: (text: string, wipe: string) => void) {
    this.#write = write;
  }

  /** A line of the conversation; it waits while a question is open. */
  line = (text: string): void => this.row(visible(text));

  /** The same for a row that has our colours, and nothing else that a terminal obeys. */
  row = (row: Row): void => {
    if (this.#held > 0) this.#waiting.push(row);
    else this.#put(row);
  };

  /** A line of a question itself. */
  say = (text: string): void => this.sayRow(visible(text));

  sayRow = (row: Row): void => this.#put(row);

  /** Writes a text after which the person types. */
  prompt = (text: string): void => {
    this.#send(`${this.#isAtPrompt ? '\n' : ''}${visible(text)}`);
    this.#isAtPrompt = true;
  };

  /** A line was typed: its end is on the screen already if the terminal echoes it. */
  typed(isEchoed: boolean): void {
    if (this.#isAtPrompt && !isEchoed) this.#send('\n');
    this.#isAtPrompt = false;
  }

  /** Ctrl-C was pressed: a terminal that echoes it does not end the line. */
  interrupted(isEchoed: boolean): void {
    this.#isAtPrompt ||= isEchoed;
  }

  /** Replaces the status line; '' wipes it. None is shown while a question is open. */
  status(row: Row): void {
    if (this.#isAtPrompt || this.#held > 0 || (row === '' && !this.#hasStatus)) return;
    this.#write(row, WIPE_LINE);
    this.#hasStatus = row !== '';
  }

  /** A question opens: other lines wait for its end. */
  hold(): void {
    this.status('');
    this.#held += 1;
  }

  release(): void {
    this.#held -= 1;
    if (this.#held > 0) return;
    const lines = this.#waiting;
    this.#waiting = [];
    for (const text of lines) this.#put(text);
  }

  /** What was written, for reading it again. */
  written(): readonly string[] {
    return this.#written;
  }

  #put(row: Row): void {
    this.#send(`${this.#isAtPrompt ? '\n' : ''}${row}\n`);
    this.#isAtPrompt = false;
    this.#written.push(row);
    if (this.#written.length > KEPT_LINES) this.#written.shift();
  }

  /** One write for both, so that no other output comes between them. */
  #send(text: string): void {
    this.#write(text, this.#hasStatus ? WIPE_LINE : '');
    this.#hasStatus = false;
  }
}
