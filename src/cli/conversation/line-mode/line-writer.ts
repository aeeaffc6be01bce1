/** Whole lines, each written once, and at most one question without an end of line below them. */
import { visible } from '../../../terminal/text/visible.ts';

interface LineWriter {
  /** A line of the conversation; it waits while a question is open. */
  line(text: string): void;
  /** A line of a question itself. */
  say(text: string): void;
  /** Writes a text after which the person types. */
  prompt(text: string): void;
  /** A line was typed: its end is on the screen already if the terminal echoes it. */
  typed(isEchoed: boolean): void;
  /** Ctrl-C was pressed: a terminal that echoes it does not end the line. */
  interrupted(isEchoed: boolean): void;
  /** A question opens: other lines wait for its end. */
  hold(): void;
  release(): void;
  /** What was written, for reading it again. */
  written(): readonly string[];
}

const KEPT_LINES = 10_000;

export function createLineWriter(write: (text: string) => void): LineWriter {
  const written: string[] = [];
  let waiting: string[] = [];
  let held = 0;
  let isAtPrompt = false;
  const say = (text: string) => {
    const safe = visible(text);
    write(`${isAtPrompt ? '\n' : ''}${safe}\n`);
    isAtPrompt = false;
    written.push(safe);
    if (written.length > KEPT_LINES) written.shift();
  };
  return {
    say,
    line(text) {
      if (held > 0) waiting.push(text);
      else say(text);
    },
    prompt(text) {
      write(`${isAtPrompt ? '\n' : ''}${visible(text)}`);
      isAtPrompt = true;
    },
    typed(isEchoed) {
      if (isAtPrompt && !isEchoed) write('\n');
      isAtPrompt = false;
    },
    interrupted(isEchoed) {
      isAtPrompt ||= isEchoed;
    },
    hold() {
      held += 1;
    },
    release() {
      held -= 1;
      if (held > 0) return;
      const lines = waiting;
      waiting = [];
      for (const text of lines) say(text);
    },
    written: () => written,
  };
}
