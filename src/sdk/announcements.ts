/** Messages that do not come from a turn, shown between those that do. */
import type { SDKMessage } from '../protocol/sdk-messages.ts';

export interface Announcements {
  say(message: SDKMessage): void;
  take(): SDKMessage | undefined;
  /** The same messages, with announcements as they come up. Nothing is taken from `messages` before it is asked for. */
  between(messages: AsyncGenerator<SDKMessage, void>): AsyncIterableIterator<SDKMessage, void>;
}

type Step = IteratorResult<SDKMessage, void>;

const idle = () => {};

export function createAnnouncements(): Announcements {
  const said: SDKMessage[] = [];
  let wake: () => void = idle;

  /** What was said, or the next step; whichever comes first. */
  function either(step: Promise<Step>, taken: () => void): Promise<Step> {
    return new Promise((resolve, reject) => {
      const speak = () => {
        const message = said.shift();
        if (message === undefined) return;
        wake = idle;
        resolve({ done: false, value: message });
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
    take: () => said.shift(),
    between(messages) {
      let step: Promise<Step> | undefined;
      const iterator: AsyncIterableIterator<SDKMessage, void> = {
        next() {
          const value = said.shift();
          if (value !== undefined) return Promise.resolve({ done: false, value });
          step ??= messages.next();
          return either(step, () => {
            step = undefined;
          });
        },
        return: () => messages.return(),
        throw: (error) => messages.throw(error),
        [Symbol.asyncIterator]: () => iterator,
      };
      return iterator;
    },
  };
}
