/** Messages that do not come from the running turn, if one runs: of background tasks above all, of hooks. */
import type { SDKMessage } from '../../protocol/sdk-messages.ts';

export interface Announcer {
  /** false: nobody listens. */
  say(message: SDKMessage): boolean;
  /** Hears every message from now on, until the returned function is called. */
  listen(listener: (message: SDKMessage) => void): () => void;
}

/** `heard`: hears all of it, and is nobody whom messages are for. */
export function createAnnouncer(heard?: (message: SDKMessage) => void): Announcer {
  return new Voice(heard);
}

class Voice implements Announcer {
  readonly #heard: ((message: SDKMessage) => void) | undefined;
  #listeners: readonly ((message: SDKMessage) => void)[] = [];

  constructor(heard: ((message: SDKMessage) => void) | undefined) {
    this.#heard = heard;
  }

  say(message: SDKMessage): boolean {
    this.#heard?.(message);
    for (const listener of this.#listeners) listener(message);
    return this.#listeners.length > 0;
  }

  listen(listener: (message: SDKMessage) => void): () => void {
    this.#listeners = [...this.#listeners, listener];
    return () => {
      this.#listeners = this.#listeners.filter((other) => other !== listener);
    };
  }
}
