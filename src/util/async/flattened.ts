import { MadeGenerator } from './generator-base.ts';

/**
 * The items of batches, one by one; a value that is not an array is a batch of one. The generator of batches
 * is resumed only when its last batch is used up, so asking for the next batch acknowledges the previous one.
 * After `return()` or `throw()`, a pending `next()` ends too, and late batches are dropped.
 */
export function flattened<T, R>(
  batches: AsyncGenerator<T | readonly T[], R, void>,
  /** Called before each item and for each batch; a throw ends the batches with it, false drops the batch. */
  wanted: () => boolean = () => true,
): AsyncGenerator<T, R, void> {
  return new Flattened(batches, wanted);
}

type Step<T, R> = IteratorResult<T, R> | Promise<IteratorResult<T, R>>;

class Flattened<T, R> extends MadeGenerator<T, R> {
  readonly #batches: AsyncGenerator<T | readonly T[], R, void>;
  readonly #wanted: () => boolean;
  #batch: readonly T[] = [];
  #at = 0;
  /** `return()` or `throw()` was called. */
  #ended = false;
  #pulling: Promise<IteratorResult<T, R>> | undefined;
  readonly #take = (step: IteratorResult<T | readonly T[], R>): Step<T, R> => {
    if (step.done === true) return step;
    try {
      if (this.#ended || !this.#wanted()) return this.#batches.next().then(this.#take);
    } catch (error) {
      return this.throw(error);
    }
    this.#batch = Array.isArray(step.value) ? step.value : [step.value as T];
    this.#at = 0;
    return this.#buffered() ?? this.#batches.next().then(this.#take);
  };

  constructor(batches: AsyncGenerator<T | readonly T[], R, void>, wanted: () => boolean) {
    super();
    this.#batches = batches;
    this.#wanted = wanted;
  }

  next(): Promise<IteratorResult<T, R>> {
    // Concurrent calls are answered in order.
    if (this.#pulling !== undefined) {
      const again = () => this.next();
      return this.#pulling.then(again, again);
    }
    try {
      if (this.#at < this.#batch.length && !this.#wanted()) this.#batch = [];
    } catch (error) {
      return this.throw(error);
    }
    const item = this.#buffered();
    return item === undefined ? this.#pull() : Promise.resolve(item);
  }

  return(value: R | PromiseLike<R>): Promise<IteratorResult<T, R>> {
    this.#ended = true;
    this.#batch = [];
    return this.#batches.return(value).then(this.#take);
  }

  throw(error: unknown): Promise<IteratorResult<T, R>> {
    this.#ended = true;
    this.#batch = [];
    return this.#batches.throw(error).then(this.#take);
  }

  #buffered(): IteratorYieldResult<T> | undefined {
    return this.#at < this.#batch.length ? { done: false, value: this.#batch[this.#at++] as T } : undefined;
  }

  #pull(): Promise<IteratorResult<T, R>> {
    const pulled = this.#batches.next().then(this.#take);
    const settled = () => {
      if (this.#pulling === pulled) this.#pulling = undefined;
    };
    this.#pulling = pulled;
    pulled.then(settled, settled);
    return pulled;
  }
}
