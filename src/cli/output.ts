/** The standard streams, with back-pressure: a slow reader slows the run, a closed one ends it. */
import type { Writable } from 'node:stream';
import { withoutLineSeparators } from '../util/text/line-separators.ts';

/** The reader closed the pipe (`turnwright … | head -1`). */
export class OutputClosed extends Error {
  constructor(options?: ErrorOptions) {
    super('The reader of our output went away.', options);
    this.name = 'OutputClosed';
  }
}

export interface Output {
  /**
   * Resolves once the text was handed to the system. Rejects with `OutputClosed` when the reader has closed
   * it.
   */
  write(text: string): Promise<void>;
}

/** A message as a line of JSON, its newline included. */
export const jsonLine = (message: object): string => `${withoutLineSeparators(JSON.stringify(message))}\n`;

const CLOSED_CODES = new Set(['EPIPE', 'ERR_STREAM_DESTROYED', 'ECONNRESET', 'EIO']);

export function createOutput(stream: Writable): Output {
  let failure: NodeJS.ErrnoException | undefined;
  // Without a listener, the error event of a broken pipe would end the process with a stack trace.
  stream.on('error', (error) => {
    failure ??= error;
  });
  return {
    write: (text) =>
      new Promise((resolve, reject) => {
        const settle = (error: NodeJS.ErrnoException | null | undefined) => {
          if (error === null || error === undefined) resolve();
          else if (CLOSED_CODES.has(error.code ?? '')) reject(new OutputClosed({ cause: error }));
          else reject(new Error(`The output cannot be written: ${error.message}.`, { cause: error }));
        };
        if (failure !== undefined) settle(failure);
        else stream.write(text, settle);
      }),
  };
}
