/** Reads lines from the keyboard. */
import { createInterface, type Interface } from 'node:readline/promises';

/** Time for which keys that were pressed too early are dropped. */
const DRAIN_MS = 40;

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

/** Drops keys typed before the question appeared. */
export async function drain(keyboard: NodeJS.ReadStream): Promise<void> {
  const discard = () => undefined;
  // Raw mode, so that an unfinished line is dropped too.
  keyboard.setRawMode?.(true);
  keyboard.on('data', discard);
  keyboard.resume();
  await new Promise((resolve) => setTimeout(resolve, DRAIN_MS));
  keyboard.off('data', discard);
  keyboard.setRawMode?.(false);
  keyboard.pause();
}
