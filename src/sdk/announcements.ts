/** Messages that do not come from a turn, shown between those that do. */
import type { Batch } from '../engine/submit-message.ts';
import type { SDKMessage } from '../protocol/sdk-messages.ts';
import { MadeGenerator } from '../util/made-generator.ts';

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
  return new SaidBetween();
}

class SaidBetween implements Announcements {
  #said: SDKMessage[] = [];
  #wake = idle;

  say(message: SDKMessage): void {
    this.#said.push(message);
    this.#wake();
  }

  takeAll(): Batch {
    const taken = this.#said;
    if (taken.length > 0) this.#said = [];
    return taken;
  }

  between(batches: AsyncGenerator<Batch, void>): AsyncIterableIterator<Batch, void> {
    return new Between(batches, this);
  }

  /** What was said, or the next step; whichever comes first. */
  either(step: Promise<Step>, taken: () => void): Promise<Step> {
    return new Promise((resolve, reject) => {
      const speak = () => {
        const value = this.takeAll();
        if (value.length === 0) return;
        this.#wake = idle;
        resolve({ done: false, value });
      };
      const first = (settle: () => void) => {
        if (this.#wake !== speak) return; // something was said before it: the step waits for the next call
        this.#wake = idle;
        taken();
        settle();
      };
      this.#wake = speak;
      step.then(
        (value) => first(() => resolve(value)),
        (error) => first(() => reject(error)),
      );
    });
  }
}

class Between extends MadeGenerator<Batch, void> {
  readonly #batches: AsyncGenerator<Batch, void>;
  readonly #said: SaidBetween;
  #step: Promise<Step> | undefined;
  readonly #taken = (): void => {
    this.#step = undefined;
  };

  constructor(batches: AsyncGenerator<Batch, void>, said: SaidBetween) {
    super();
    this.#batches = batches;
    this.#said = said;
  }

  next(): Promise<Step> {
    const value = this.#said.takeAll();
    if (value.length > 0) return Promise.resolve({ done: false, value });
    this.#step ??= this.#batches.next();
    return this.#said.either(this.#step, this.#taken);
  }

  return(): Promise<Step> {
    return this.#batches.return();
  }

  throw(error: unknown): Promise<Step> {
    return this.#batches.throw(error);
  }
}
