/** Lines that a person types at a question. */
import { createInterface, type Interface } from 'node:readline/promises';

export interface LineReader {
  readonly lines: Interface;
  /** Fires when nothing more can be typed. */
  readonly closed: AbortSignal;
}

/** `onInterrupt`: Ctrl-C was pressed. Close `lines` when done. */
export function openLineReader(
  input: NodeJS.ReadableStream,
  output: NodeJS.WritableStream,
  onInterrupt: () => void,
): LineReader {
  const lines = createInterface({ input, output, terminal: true });
  const closed = new AbortController();
  lines.on('SIGINT', onInterrupt);
  // After Ctrl-Z and fg readline leaves its input paused: nothing would be read, or keep the process alive.
  lines.on('SIGCONT', () => lines.resume());
  lines.on('close', () => closed.abort());
  return { lines, closed: closed.signal };
}
