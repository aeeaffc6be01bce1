/**
 * Spreads what many sessions of a process do at the same time over turns of the event loop: between them its
 * sockets are read and its timers run.
 */

interface Batches {
  /** undefined: a task may begin now. Else resolves when it may. */
  turn(): Promise<void> | undefined;
  /** Begins a task in a later batch, behind those that wait. */
  queue(task: () => void): void;
}

/** Begins so many tasks at once, and the next ones, in order, when `next` calls back. */
function createBatches(most: number, next: (beginNext: () => void) => void): Batches {
  const waiting: (() => void)[] = [];
  let begun = 0;
  const begin = () => {
    if (begun++ === 0) next(beginNext);
  };
  const beginNext = () => {
    begun = 0;
    for (const task of waiting.splice(0, most)) {
      begin();
      task();
    }
  };
  return {
    turn() {
      if (begun >= most) return new Promise((resolve) => waiting.push(resolve));
      begin();
      return undefined;
    },
    queue(task) {
      waiting.push(task);
      if (begun === 0) begin();
    },
  };
}

const iterations = createBatches(8, setImmediate);
/** Under load the next ones start when each session that waits for its iteration has had it. */
const starts = createBatches(8, (beginNext) => iterations.queue(beginNext));
const looks = createBatches(100, setImmediate);

/** For a session that is to start. undefined: it may start now. Else resolves when it may. */
export const turnToStart = starts.turn;

/** For the next iteration of a session's loop, in the same way. */
export const turnToIterate = iterations.turn;

/** For a look at a name on disk, which is made at once: a walk over many lets others work in between. */
export const turnToLook = looks.turn;
