/** Reads answers line by line from the keyboard of a terminal, where no conversation has it. */
import { createInterface } from 'node:readline/promises';

interface LineReader {
  /** The next line; undefined: the person closed the input (Ctrl-D), or `signal` fired. */
  ask(question: string, signal?: AbortSignal): Promise<string | undefined>;
  close(): void;
}

/** `onInterrupt`: Ctrl-C was pressed. The keyboard is the reader's until it is closed. */
export function openLineReader(
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
  onInterrupt: () => void,
): LineReader {
  const lines = createInterface({ input, output, terminal: true });
  const closed = new AbortController();
  lines.on('SIGINT', onInterrupt);
  // After Ctrl-Z and fg readline leaves its input paused, which would neither read nor keep the process
  // alive.
  lines.on('SIGCONT', () => lines.resume());
  lines.on('close', () => closed.abort());
  return {
    async ask(question, signal = closed.signal) {
      const either = AbortSignal.any([signal, closed.signal]);
      try {
        return await lines.question(question, { signal: either });
      } catch (error) {
        if (either.aborted) return undefined;
        throw error;
      }
    },
    close: () => lines.close(),
  };
}
