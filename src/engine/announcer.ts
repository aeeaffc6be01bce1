/** Messages that do not come from the running turn, if one runs: of background tasks above all, of hooks. */
import type { SDKMessage } from '../protocol/sdk-messages.ts';

export interface Announcer {
  /** false: nobody listens. */
  say(message: SDKMessage): boolean;
  /** Hears every message from now on, until the returned function is called. */
  listen(listener: (message: SDKMessage) => void): () => void;
}

/** `heard`: hears all of it, and is nobody whom messages are for. */
export function createAnnouncer(heard?: (message: SDKMessage) => void): Announcer {
  const listeners = new Set<(message: SDKMessage) => void>();
  return {
    say(message) {
      heard?.(message);
      for (const listener of [...listeners]) listener(message);
      return listeners.size > 0;
    },
    listen(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
