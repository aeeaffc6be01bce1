/** Messages that do not come from a turn, shown between those that do. */
import type { Batch } from '../../engine/submission/submit-message.ts';
import type { SDKMessage } from '../../protocol/sdk-messages.ts';
import { MadeGenerator } from '../../util/async/generator-base.ts';

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

  /** Hears of all that is said from now on; one at a time. */
  listen(listener: () => void): void {
    this.#wake = listener;
  }
}

/** What was said, or the next step; whichever comes first. */
class Between extends MadeGenerator<Batch, void> {
  readonly #batches: AsyncGenerator<Batch, void>;
  readonly #said: SaidBetween;
  /** Asked for, and not handed on yet. */
  #step: Promise<Step> | undefined;
  /** Whoever waits. */
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
    // Asking for the step may itself have let something be said.
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

  /** If something was said before it, the step waits for the next call. */
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

  /** Nobody waits any longer. Returns how to answer who did. */
  #answered(): ((step: Step) => void) | undefined {
    const resolve = this.#resolve;
    this.#resolve = undefined;
    this.#reject = undefined;
    this.#said.listen(idle);
    return resolve;
  }
}
