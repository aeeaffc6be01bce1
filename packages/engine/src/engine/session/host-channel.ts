/** Messages to the host that do not come from the running turn, and the status of the submission. */

import { isoTime } from '@turnwright/base/text/figures-and-times.ts';
import type { Clock, Ids } from '../../protocol/ports.ts';
import type { SDKMessage } from '../../protocol/stream/sdk-messages.ts';
import { type SDKStatus, StateMachine } from './status-reporter.ts';

interface HostChannelOptions {
  readonly sessionId: string;
  readonly ids: Ids;
  readonly clock: Clock;
  /** Receives every event, but does not count as a listener. */
  readonly tap?: ((message: SDKMessage) => void) | undefined;
  readonly onStatus?: ((status: SDKStatus) => void) | undefined;
}

/** Fields of every message of a session. */
interface MessageStamp {
  readonly uuid: string;
  readonly session_id: string;
}

export class HostChannel {
  readonly sessionId: string;
  readonly #options: HostChannelOptions;
  readonly #status: StateMachine;
  #listeners: readonly ((message: SDKMessage) => void)[] = [];

  constructor(options: HostChannelOptions) {
    this.sessionId = options.sessionId;
    this.#options = options;
    this.#status = new StateMachine(options.onStatus);
  }

  /** Returns false if there is no listener. */
  emit(message: SDKMessage): boolean {
    this.#options.tap?.(message);
    for (const listener of this.#listeners) listener(message);
    return this.#listeners.length > 0;
  }

  /** `listener` receives every message from now on, until the returned function is called. */
  listen(listener: (message: SDKMessage) => void): () => void {
    this.#listeners = [...this.#listeners, listener];
    return () => {
      this.#listeners = this.#listeners.filter((other) => other !== listener);
    };
  }

  /** For a new message. */
  stamp(): MessageStamp {
    return { uuid: this.#options.ids.uuid(), session_id: this.sessionId };
  }

  /** The same, for a message that may also be part of the conversation. */
  timedStamp(): { readonly uuid: string; readonly timestamp: string } {
    const { clock, ids } = this.#options;
    return { uuid: ids.uuid(), timestamp: isoTime(clock.nowMs()) };
  }

  /** Status of the running submission. */
  enter(status: SDKStatus): void {
    this.#status.enter(status);
  }
}
