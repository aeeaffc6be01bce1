import { ConsumerLeft, type Output } from './batch-output.ts';

/** What a door does besides handing on. */
export interface DoorTerms<T> {
  /** Called first by `return()` and `throw()`: ends what the producer waits for. */
  readonly abort?: (how: 'return' | 'throw') => void;
  /** Called before each item and for each batch; a throw ends the iterator with it, false drops the batch. */
  readonly wanted?: () => boolean;
  /** Called with each batch that is wanted; returns what the consumer receives in its place. */
  readonly passing?: (batch: readonly T[]) => readonly T[];
  /** What the consumer receives between two batches. Asked whenever it reads, and by `look`. */
  readonly beside?: () => readonly T[];
}

interface Waiting<V> {
  resolve(value: V): void;
  reject(error: unknown): void;
}

type Step<T, R> = IteratorResult<T, R>;
type End<R> = { readonly value: R } | { readonly error: unknown };

const OVER = { done: true, value: undefined } as const;

/**
 * The items that a producer emits, one by one, as an async generator. The producer starts with the first
 * read; `emit` waits until its batch is used up and the consumer reads on. JavaScript queues `.return()` and
 * `.throw()` of a generator behind a pending `next()`; here they abort first, then stop the producer and wait
 * for its end.
 */
export class Door<T, R> implements AsyncGenerator<T, R, void> {
  /** undefined: it has started. */
  #produce: ((output: Output<T>) => Promise<R>) | undefined;
  readonly #terms: DoorTerms<T>;
  /** Settles with the producer; never rejects. */
  #run: Promise<void> | undefined;
  /** What is handed out at present. */
  #items: readonly T[] = [];
  #at = 0;
  /** The batch that comes next, and the producer that waits until it is used up. */
  #offered: readonly T[] | undefined;
  #producer: Waiting<void> | undefined;
  readonly #readers: Waiting<Step<T, R>>[] = [];
  /** `return()` or `throw()` was called, or the consumer was refused. */
  #isLeft = false;
  /** How the producer ended, until a reader has received it. */
  #end: End<R> | undefined;
  #isOver = false;

  constructor(produce: (output: Output<T>) => Promise<R>, terms: DoorTerms<T> = {}) {
    this.#produce = produce;
    this.#terms = terms;
  }

  next(): Promise<Step<T, R>> {
    if (this.#readers.length === 0) {
      const item = this.#next();
      if (item !== undefined) return Promise.resolve(item);
    }
    if (this.#isOver) return this.#tellEnd();
    return new Promise((resolve, reject) => {
      this.#readers.push({ resolve, reject });
      this.#goOn();
    });
  }

  async return(value: R | PromiseLike<R>): Promise<Step<T, R>> {
    this.#leave('return');
    await this.#run;
    const end = this.#takeEnd();
    if (end !== undefined && 'error' in end) throw end.error;
    return { done: true, value: await value };
  }

  async throw(error: unknown): Promise<Step<T, R>> {
    this.#leave('throw');
    await this.#run;
    this.#takeEnd();
    throw error;
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.return(undefined as R);
  }

  /** Gives a waiting consumer what `beside` has. */
  look(): void {
    this.#serve();
  }

  /** Starts the producer, or lets it go on. */
  #goOn(): void {
    const produce = this.#produce;
    if (produce !== undefined) {
      this.#produce = undefined;
      const output = { emit: (batch: readonly T[]) => this.#emit(batch) };
      this.#run = produce(output).then(this.#ended, this.#failed);
      return;
    }
    const producer = this.#producer;
    this.#producer = undefined;
    producer?.resolve();
  }

  #emit(batch: readonly T[]): Promise<void> | undefined {
    const passed = this.#passed(batch);
    if (passed.length === 0) return undefined;
    this.#offered = passed;
    this.#serve();
    if (this.#readers.length > 0) return undefined;
    return new Promise((resolve, reject) => {
      this.#producer = { resolve, reject };
    });
  }

  #passed(batch: readonly T[]): readonly T[] {
    if (this.#isLeft) throw new ConsumerLeft();
    const { wanted, passing } = this.#terms;
    try {
      if (wanted?.() === false) return [];
      return passing === undefined ? batch : passing(batch);
    } catch (error) {
      this.#refuse(error);
      throw new ConsumerLeft();
    }
  }

  /** Gives items to those who wait for them. */
  #serve(): void {
    while (this.#readers.length > 0) {
      const item = this.#next();
      if (item === undefined) return;
      this.#readers.shift()?.resolve(item);
    }
  }

  #next(): IteratorYieldResult<T> | undefined {
    if (this.#at === this.#items.length) this.#turnPage();
    if (this.#at < this.#items.length && !this.#isWanted()) {
      this.#items = [];
      this.#at = 0;
    }
    return this.#at < this.#items.length ? { done: false, value: this.#items[this.#at++] as T } : undefined;
  }

  #turnPage(): void {
    const beside = this.#isLeft ? [] : (this.#terms.beside?.() ?? []);
    this.#at = 0;
    if (beside.length > 0) this.#items = beside;
    else {
      this.#items = this.#offered ?? [];
      this.#offered = undefined;
    }
  }

  #isWanted(): boolean {
    try {
      return this.#terms.wanted?.() !== false;
    } catch (error) {
      this.#refuse(error);
      return false;
    }
  }

  /** The consumer gets this error once the producer has ended, and nothing else any more. */
  #refuse(error: unknown): void {
    this.#end = { error };
    this.#leave('throw');
  }

  #leave(how: 'return' | 'throw'): void {
    const isFirst = !this.#isLeft;
    this.#isLeft = true;
    this.#items = [];
    this.#at = 0;
    this.#offered = undefined;
    this.#terms.abort?.(how);
    if (this.#produce !== undefined) {
      this.#produce = undefined;
      this.#isOver = true;
    }
    const producer = this.#producer;
    this.#producer = undefined;
    if (isFirst) producer?.reject(new ConsumerLeft());
  }

  readonly #ended = (value: R): void => this.#over({ value });

  readonly #failed = (error: unknown): void =>
    this.#over(error instanceof ConsumerLeft ? undefined : { error });

  #over(end: End<R> | undefined): void {
    this.#isOver = true;
    this.#end ??= end;
    for (const reader of this.#readers.splice(0)) this.#tellEnd().then(reader.resolve, reader.reject);
  }

  #takeEnd(): End<R> | undefined {
    const end = this.#end;
    this.#end = undefined;
    return end;
  }

  /** The first reader learns how the producer ended; for later ones there is nothing. */
  #tellEnd(): Promise<Step<T, R>> {
    const end = this.#takeEnd();
    if (end === undefined) return Promise.resolve(OVER as unknown as Step<T, R>);
    return 'error' in end ? Promise.reject(end.error) : Promise.resolve({ done: true, value: end.value });
  }
}
