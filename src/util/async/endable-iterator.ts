import { MadeGenerator } from './generator-base.ts';

/**
 * JavaScript queues `.return()` and `.throw()` behind a pending `next()`. This iterator aborts first and then
 * delegates, so that ending early works while the generator is waiting. It does not track the generator's own
 * end: an abort after that must be harmless.
 */
export function endableIterator<T, R>(
  generator: AsyncGenerator<T, R, void>,
  abort: (how: 'return' | 'throw') => void,
): AsyncGenerator<T, R, void> {
  return new EndableIterator(generator, abort);
}

class EndableIterator<T, R> extends MadeGenerator<T, R> {
  readonly #generator: AsyncGenerator<T, R, void>;
  readonly #abort: (how: 'return' | 'throw') => void;

  constructor(generator: AsyncGenerator<T, R, void>, abort: (how: 'return' | 'throw') => void) {
    super();
    this.#generator = generator;
    this.#abort = abort;
  }

  next(): Promise<IteratorResult<T, R>> {
    return this.#generator.next();
  }

  return(value: R | PromiseLike<R>): Promise<IteratorResult<T, R>> {
    this.#abort('return');
    return this.#generator.return(value);
  }

  throw(error: unknown): Promise<IteratorResult<T, R>> {
    this.#abort('throw');
    return this.#generator.throw(error);
  }
}
