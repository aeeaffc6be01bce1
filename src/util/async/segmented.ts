import { MadeGenerator } from './generator-base.ts';

/** Items that a generator yields as one: it is resumed when they are used up, and not for each of them. */
export abstract class Segment<T> {
  /** The next item, or undefined at the end. Asking for it acknowledges the previous one. */
  abstract next(): Promise<T | undefined>;
}

/** What a generator ends with when another one goes on in its place. */
export class Relay<T, R> {
  readonly to: Source<T, R>;

  constructor(to: Source<T, R>) {
    this.to = to;
  }
}

type Source<T, R> = AsyncGenerator<T | Segment<T>, R | Relay<T, R>, void>;

/**
 * The items of a generator and those of its segments, in order. An error of a segment is thrown where the
 * generator yielded it. As in a generator, `return()` and `throw()` wait for the pending item; `next()` is
 * called when the previous call has been answered.
 */
export function segmented<T, R>(generator: Source<T, R>): AsyncGenerator<T, R, void> {
  return new Segmented(generator);
}

type Step<T, R> = IteratorResult<T, R> | Promise<IteratorResult<T, R>>;

class Segmented<T, R> extends MadeGenerator<T, R> {
  #generator: Source<T, R>;
  /** What is read at present. */
  #segment: Segment<T> | undefined;
  #last: Promise<unknown> | undefined;

  constructor(generator: Source<T, R>) {
    super();
    this.#generator = generator;
  }

  next(): Promise<IteratorResult<T, R>> {
    const step = this.#segment === undefined ? this.#resume() : this.#read(this.#segment);
    this.#last = step;
    return step;
  }

  return(value: R | PromiseLike<R>): Promise<IteratorResult<T, R>> {
    return this.#afterLast(() => this.#generator.return(value));
  }

  throw(error: unknown): Promise<IteratorResult<T, R>> {
    return this.#afterLast(() => this.#generator.throw(error));
  }

  /** Ends the segment, too. */
  #afterLast(end: () => ReturnType<Source<T, R>['next']>): Promise<IteratorResult<T, R>> {
    const leave = () => {
      this.#segment = undefined;
      return end().then(this.#took);
    };
    const step = this.#last === undefined ? leave() : this.#last.then(leave, leave);
    this.#last = step;
    return step;
  }

  #resume(): Promise<IteratorResult<T, R>> {
    return this.#generator.next().then(this.#took);
  }

  #read(segment: Segment<T>): Promise<IteratorResult<T, R>> {
    return segment.next().then(this.#gave, this.#failed);
  }

  readonly #took = (step: IteratorResult<T | Segment<T>, R | Relay<T, R>>): Step<T, R> => {
    const { done, value } = step;
    if (done === true) {
      if (!(value instanceof Relay)) return { done, value };
      this.#generator = value.to;
      return this.#resume();
    }
    if (!(value instanceof Segment)) return { done: false, value };
    this.#segment = value;
    return this.#read(value);
  };

  readonly #gave = (value: T | undefined): Step<T, R> => {
    if (value !== undefined) return { done: false, value };
    this.#segment = undefined;
    return this.#resume();
  };

  readonly #failed = (error: unknown): Promise<IteratorResult<T, R>> => {
    this.#segment = undefined;
    return this.#generator.throw(error).then(this.#took);
  };
}
