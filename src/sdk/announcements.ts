/** Messages that do not come from a turn, shown between those that do. */
import type { SDKMessage } from '../protocol/sdk-messages.ts';

export interface Announcements {
  say(message: SDKMessage): void;
  take(): SDKMessage | undefined;
  /** The same messages, with announcements as they come up. Nothing is taken from `messages` before it is asked for. */
  between(messages: AsyncGenerator<SDKMessage, void>): AsyncGenerator<SDKMessage, void>;
}

export function createAnnouncements(): Announcements {
  const said: SDKMessage[] = [];
  let wake = () => {};

  /** undefined: something was said first. */
  const orSaid = <T>(work: Promise<T>): Promise<T | undefined> =>
    new Promise((resolve, reject) => {
      wake = () => resolve(undefined);
      work.then(resolve, reject);
      if (said.length > 0) wake();
    });

  return {
    say(message) {
      said.push(message);
      wake();
    },
    take: () => said.shift(),
    async *between(messages) {
      try {
        let next = messages.next();
        while (true) {
          const step = await orSaid(next);
          for (let message = said.shift(); message !== undefined; message = said.shift()) yield message;
          if (step === undefined) continue;
          if (step.done === true) return;
          yield step.value;
          next = messages.next();
        }
      } finally {
        await messages.return();
      }
    },
  };
}
