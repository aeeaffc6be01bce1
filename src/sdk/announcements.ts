/** Messages that do not come from a turn, shown between those that do. */
import type { Batch } from '../engine/submit-message.ts';
import type { SDKMessage } from '../protocol/sdk-messages.ts';

export interface Announcements {
  say(message: SDKMessage): void;
  /** Everything said and not yet shown. */
  takeAll(): readonly SDKMessage[];
  /** The same batches, with announcements as they come up. Nothing is taken from them before it is asked for. */
  between(batches: AsyncGenerator<Batch, void>): AsyncIterableIterator<Batch, void>;
}

type Step = IteratorResult<Batch, void>;

const idle = () => {};

export function createAnnouncements(): Announcements {
  let said: SDKMessage[] = [];
  const takeAll = (): Batch => {
    const taken = said;
    if (taken.length > 0) said = [];
    return taken;
  };
  let wake: () => void = idle;

  /** What was said, or the next step; whichever comes first. */
  function either(step: Promise<Step>, taken: () => void): Promise<Step> {
    return new Promise((resolve, reject) => {
      const speak = () => {
        const value = takeAll();
        if (value.length === 0) return;
        wake = idle;
        resolve({ done: false, value });
      };
      const first = (settle: () => void) => {
        if (wake !== speak) return; // something was said before it: the step waits for the next call
        wake = idle;
        taken();
        settle();
      };
      wake = speak;
      step.then(
        (value) => first(() => resolve(value)),
        (error) => first(() => reject(error)),
      );
    });
  }

  return {
    say(message) {
      said.push(message);
      wake();
    },
    takeAll,
    between(batches) {
      let step: Promise<Step> | undefined;
      const iterator: AsyncIterableIterator<Batch, void> = {
        next() {
          if (said.length > 0) return Promise.resolve({ done: false, value: takeAll() });
          step ??= batches.next();
          return either(step, () => {
            step = undefined;
          });
        },
        return: () => batches.return(),
        throw: (error) => batches.throw(error),
        [Symbol.asyncIterator]: () => iterator,
      };
      return iterator;
    },
  };
}
