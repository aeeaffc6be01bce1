/**
 * The standard streams, with back-pressure: a slow reader slows the run, a closed one ends it. Whatever is
 * printed on a terminal leaves the process here, and cannot drive it; the screen of a conversation has a door
 * of its own (`terminal/renderer`). Pipes and files get every byte as it is.
 */
import type { Writable } from 'node:stream';
import { withoutLineSeparators } from '@turnwright/base/json-values.ts';
import { printable } from '@turnwright/terminal/text/clean.ts';

/** The reader closed the pipe (`turnwright … | head -1`). */
export class OutputClosed extends Error {
  constructor(options?: ErrorOptions) {
    super('The reader of our output went away.', options);
    this.name = 'OutputClosed';
  }
}

export interface ProcessOutput {
  /**
   * Resolves once the text was handed to the system. Rejects with `OutputClosed` when the reader has closed
   * it.
   */
  write(text: string): Promise<void>;
  /** Text in our colours; all other sequences are dropped. `wipe`: what moves the cursor in front of it. */
  paint(text: string, wipe?: string): Promise<void>;
}

/** A message as a line of JSON, its newline included. */
export const jsonLine = (message: object): string => `${withoutLineSeparators(JSON.stringify(message))}\n`;

const CLOSED_CODES = new Set(['EPIPE', 'ERR_STREAM_DESTROYED', 'ECONNRESET', 'EIO']);

export function createOutput(stream: Writable & { readonly isTTY?: boolean }): ProcessOutput {
  let failure: NodeJS.ErrnoException | undefined;
  // Without a listener, the error event of a broken pipe would end the process with a stack trace.
  stream.on('error', (error) => {
    failure ??= error;
  });
  const send = (text: string) =>
    new Promise<void>((resolve, reject) => {
      const settle = (error: NodeJS.ErrnoException | null | undefined) => {
        if (error === null || error === undefined) resolve();
        else if (CLOSED_CODES.has(error.code ?? '')) reject(new OutputClosed({ cause: error }));
        else reject(new Error(`The output cannot be written: ${error.message}.`, { cause: error }));
      };
      if (failure !== undefined) settle(failure);
      else stream.write(text, settle);
    });
  return {
    write: (text) => send(stream.isTTY === true ? printable(text) : text),
    paint: (text, wipe = '') => send(wipe + (stream.isTTY === true ? printable(text, 'sgr') : text)),
  };
}
