import { nextCall } from '@turnwright/base/async/promises.ts';
import type { Inbox, InboxItem } from '../../protocol/ports.ts';

interface SessionInbox {
  readonly items: InboxItem[];
  readonly byKey: Map<string, number>;
  readonly waiting: Set<() => void>;
}

/**
 * Messages for running sessions, in memory. Putting a key twice is one item, for the lifetime of the inbox.
 */
export function createMemoryInbox(): Inbox {
  const sessions = new Map<string, SessionInbox>();

  function inboxOf(sessionId: string): SessionInbox {
    let inbox = sessions.get(sessionId);
    if (inbox === undefined) {
      inbox = { items: [], byKey: new Map(), waiting: new Set() };
      sessions.set(sessionId, inbox);
    }
    return inbox;
  }

  return {
    async put(sessionId, item) {
      const { items, byKey, waiting } = inboxOf(sessionId);
      const known = byKey.get(item.key);
      if (known !== undefined) return { n: known, fresh: false };
      const n = items.length + 1;
      items.push({ ...item, n });
      byKey.set(item.key, n);
      for (const wake of waiting) wake();
      return { n, fresh: true };
    },

    async after(sessionId, n) {
      return sessions.get(sessionId)?.items.slice(Math.max(0, n)) ?? [];
    },

    async *wake(sessionId, signal) {
      const inbox = inboxOf(sessionId);
      let seen = inbox.items.length;
      while (!signal.aborted) {
        if (inbox.items.length === seen) await nextCall(inbox.waiting, signal);
        if (signal.aborted) return;
        seen = inbox.items.length;
        yield;
      }
    },
  };
}
