/** Keyboard input, also where stdin is a pipe: `git diff | turnwright "…"`. */
import { closeSync, openSync } from 'node:fs';
import { ReadStream } from 'node:tty';

type Standard = Pick<NodeJS.Process, 'stdin' | 'stdout' | 'stderr'>;

/**
 * stdin if it is a terminal, else the controlling terminal, if stdout or stderr is one and so shows the
 * question. undefined: there is none, as in CI.
 */
export function openKeyboard({ stdin, stdout, stderr }: Standard): NodeJS.ReadStream | undefined {
  if (stdin.isTTY === true) return stdin;
  if (stdout.isTTY !== true && stderr.isTTY !== true) return undefined;
  let descriptor: number;
  try {
    descriptor = openSync('/dev/tty', 'r+');
  } catch {
    return undefined;
  }
  try {
    return new ReadStream(descriptor).pause();
  } catch {
    closeSync(descriptor);
    return undefined;
  }
}
