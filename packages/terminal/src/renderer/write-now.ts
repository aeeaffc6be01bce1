/** Writing that is over when it returns: all that an exit handler can use. */
import { writeSync } from 'node:fs';

/** A terminal that takes nothing for so many attempts is given up. */
const MAX_ATTEMPTS = 1_000;

/** Writes all of `text` to a descriptor. A terminal that is gone is no error: nothing is left to restore. */
export function writeNow(descriptor: number, text: string): void {
  let rest = Buffer.from(text);
  for (let attempt = 0; rest.length > 0 && attempt < MAX_ATTEMPTS; attempt += 1) {
    try {
      rest = rest.subarray(writeSync(descriptor, rest));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}
