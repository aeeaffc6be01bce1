/** Where a producer hands on what it makes, in batches, one after another. */
export interface Output<T> {
  /**
   * undefined: the consumer waits for more already. Else resolves when it asks for more, and so has all of
   * the batch. Throws or rejects with `ConsumerLeft` when nobody reads any more.
   */
  emit(batch: readonly T[]): Promise<void> | undefined;
}

/** What a producer is stopped with when nobody reads its output any more. It is to end, and decides nothing. */
export class ConsumerLeft extends Error {
  override readonly name = 'ConsumerLeft';

  constructor() {
    super('The consumer reads no further.');
  }
}
