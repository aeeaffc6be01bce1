import { MadeGenerator } from './made-generator.ts';

/**
 * JavaScript queues `.return()` and `.throw()` behind a pending `next()`. This iterator aborts first and then
 * delegates, so that ending early works while the generator is waiting. Once it has ended there is nothing to abort.
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
  #ended = false;
  readonly #seen = ({ done }: IteratorResult<T, R>): void => {
    this.#ended ||= done === true;
  };
  readonly #failed = (): void => {
    this.#ended = true;
  };

  constructor(generator: AsyncGenerator<T, R, void>, abort: (how: 'return' | 'throw') => void) {
    super();
    this.#generator = generator;
    this.#abort = abort;
  }

  next(): Promise<IteratorResult<T, R>> {
    const step = this.#generator.next();
    step.then(this.#seen, this.#failed);
    return step;
  }

  return(value: R | PromiseLike<R>): Promise<IteratorResult<T, R>> {
    if (!this.#ended) this.#abort('return');
    return this.#generator.return(value);
  }

  throw(error: unknown): Promise<IteratorResult<T, R>> {
    if (!this.#ended) this.#abort('throw');
    return this.#generator.throw(error);
  }
}
