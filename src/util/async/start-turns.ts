/**
 * Spreads what begins at the same time over turns of the event loop. A process that starts a thousand
 * sessions still reads its sockets meanwhile, and the sessions do not all wait for the same thing afterwards.
 */

/** Of one turn of the event loop. */
const MOST_STARTS = 8;

const waiting: (() => void)[] = [];
let started = 0;

/** undefined: it may start now. Else resolves when it may. */
export function turnToStart(): Promise<void> | undefined {
  if (started < MOST_STARTS) {
    begin();
    return undefined;
  }
  return new Promise((resolve) => waiting.push(resolve));
}

function begin(): void {
  if (started === 0) setImmediate(nextTurn);
  started++;
}

function nextTurn(): void {
  started = 0;
  for (const start of waiting.splice(0, MOST_STARTS)) {
    begin();
    start();
  }
}
