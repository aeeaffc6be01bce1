/** Messages that do not come from a turn, emitted between those that do. */
import type { Batch } from '../../engine/submission/submit-message.ts';
import type { SDKMessage } from '../../protocol/stream/sdk-messages.ts';
import { MadeGenerator } from '../../util/async/generator-base.ts';

export interface Announcements {
  say(message: SDKMessage): void;
  /** All announcements that were not emitted yet. */
  takeAll(): readonly SDKMessage[];
  /**
   * The same batches, with announcements in between as they occur. Nothing is pulled from the batches before
   * the consumer asks for it.
   */
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

  /** Sets the listener for announcements; there is one at a time. */
  listen(listener: () => void): void {
    this.#wake = listener;
  }
}

/** The next announcement or step, whichever comes first. */
class Between extends MadeGenerator<Batch, void> {
  readonly #batches: AsyncGenerator<Batch, void>;
  readonly #said: SaidBetween;
  /** Requested, and not passed on yet. */
  #step: Promise<Step> | undefined;
  /** Resolves the pending call of the consumer. */
  #resolve: ((step: Step) => void) | undefined;
  #reject: ((error: unknown) => void) | undefined;

  constructor(batches: AsyncGenerator<Batch, void>, said: SaidBetween) {
    super();
    this.#batches = batches;
    this.#said = said;
  }

  next(): Promise<Step> {
    const value = this.#said.takeAll();
    if (value.length > 0) return Promise.resolve({ done: false, value });
    this.#step ??= this.#batches.next();
    this.#step.then(this.#came, this.#failed);
    this.#said.listen(this.#speak);
    const answer = new Promise<Step>((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
    // Requesting the step may itself have caused an announcement.
    this.#speak();
    return answer;
  }

  return(): Promise<Step> {
    return this.#batches.return();
  }

  throw(error: unknown): Promise<Step> {
    return this.#batches.throw(error);
  }

  readonly #speak = (): void => {
    const value = this.#said.takeAll();
    if (value.length > 0) this.#answered()?.({ done: false, value });
  };

  /** If there are announcements before it, the step waits for the next call. */
  readonly #came = (step: Step): void => {
    if (this.#resolve === undefined) return;
    this.#step = undefined;
    this.#answered()?.(step);
  };

  readonly #failed = (error: unknown): void => {
    const reject = this.#reject;
    if (this.#answered() === undefined) return;
    this.#step = undefined;
    reject?.(error);
  };

  /** Clears the pending call. Returns the function that resolves it. */
  #answered(): ((step: Step) => void) | undefined {
    const resolve = this.#resolve;
    this.#resolve = undefined;
    this.#reject = undefined;
    this.#said.listen(idle);
    return resolve;
  }
}
