import type { Inbox } from '../protocol/ports.ts';
import { byPriority } from './input-queue.ts';
import type { PeekableQueue } from './queued-commands.ts';

/** An Inbox as a queue: it keeps what was put for good, so what was consumed is remembered here. */
export function inboxQueue(inbox: Pick<Inbox, 'after'>, sessionId: string, fromCursor = 0): PeekableQueue {
  const consumed = new Set<string>();
  let waiting: ReadonlySet<string> = new Set();
  return {
    async peek(priorities) {
      const items = (await inbox.after(sessionId, fromCursor)).filter(({ key }) => !consumed.has(key));
      waiting = new Set(items.map(({ key }) => key));
      return byPriority(items, priorities);
    },
    acknowledge(keys) {
      const taken = keys.filter((key) => waiting.has(key) && !consumed.has(key));
      for (const key of taken) consumed.add(key);
      return taken;
    },
  };
}
