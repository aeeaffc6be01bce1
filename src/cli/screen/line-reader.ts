/** Reads lines from the keyboard. */
import { createInterface, type Interface } from 'node:readline/promises';

interface LineReader {
  readonly lines: Interface;
  /** Aborted when the input is closed. */
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
  // After Ctrl-Z and fg readline leaves its input paused, which would neither read nor keep the process
  // alive.
  lines.on('SIGCONT', () => lines.resume());
  lines.on('close', () => closed.abort());
  return { lines, closed: closed.signal };
}
