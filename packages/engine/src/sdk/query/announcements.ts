/** What the consumer of a query receives of its turns, and the messages between that come from no turn. */
import type { SDKMessage } from '../../protocol/stream/sdk-messages.ts';

type Batch = readonly SDKMessage[];

const NONE: Batch = Object.freeze([]);

export class Announcements {
  #said: SDKMessage[] = [];
  /** Set while a turn runs. */
  #passing: ((batch: Batch) => Batch) | undefined;
  readonly #look: () => void;

  /** `look` is called when there is something to emit beside the turn's own messages. */
  constructor(look: () => void) {
    this.#look = look;
  }

  say(message: SDKMessage): void {
    this.#said.push(message);
    if (this.#passing !== undefined) this.#look();
  }

  /** All announcements that were not emitted yet. */
  takeAll(): Batch {
    if (this.#said.length === 0) return NONE;
    const taken = this.#said;
    this.#said = [];
    return taken;
  }

  /** Those that are emitted beside a turn's batches, as they occur. */
  takeBeside(): Batch {
    return this.#passing === undefined ? NONE : this.takeAll();
  }

  /** What the consumer receives of a turn's batch. */
  pass(batch: Batch): Batch {
    return this.#passing?.(batch) ?? batch;
  }

  /** Runs a turn; `passing` is called with each of its batches, and returns what is emitted for it. */
  async during(turn: () => Promise<void>, passing: (batch: Batch) => Batch): Promise<void> {
    this.#passing = passing;
    try {
      await turn();
    } finally {
      this.#passing = undefined;
    }
  }
}
