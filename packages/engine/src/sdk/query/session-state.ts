/** Whether the session is idle, running, or waiting for an answer of the host. */
import type { SessionActivity } from '../../protocol/stream/session-messages.ts';

export interface StateOfSession {
  /** A prompt is being processed. */
  running(): void;
  /** The last result was emitted, and nothing is queued. */
  idle(): void;
  /** While a call of this callback is pending, the session waits for its answer. */
  whileAsking<A extends readonly unknown[], R>(
    ask: (...question: A) => Promise<R>,
  ): (...question: A) => Promise<R>;
}

/** `enter` is called at each change. */
export function createStateOfSession(enter: (state: SessionActivity) => void): StateOfSession {
  return new Watch(enter);
}

class Watch implements StateOfSession {
  readonly #enter: (state: SessionActivity) => void;
  #state: SessionActivity = 'idle';
  #questions = 0;

  constructor(enter: (state: SessionActivity) => void) {
    this.#enter = enter;
  }

  running(): void {
    if (this.#state === 'idle') this.#change('running');
  }

  idle(): void {
    if (this.#state !== 'idle') this.#change('idle');
  }

  whileAsking<A extends readonly unknown[], R>(ask: (...question: A) => Promise<R>) {
    return async (...question: A): Promise<R> => {
      this.#questions += 1;
      if (this.#state === 'running') this.#change('requires_action');
      try {
        return await ask(...question);
      } finally {
        this.#questions -= 1;
        if (this.#questions === 0 && this.#state === 'requires_action') this.#change('running');
      }
    };
  }

  #change(state: SessionActivity): void {
    this.#state = state;
    this.#enter(state);
  }
}
