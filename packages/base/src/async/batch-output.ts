/** Where a producer hands on what it makes, in batches, one after another. */
export interface Output<T> {
  /**
   * undefined: the consumer waits for more already. Else resolves when it asks for more, and so has all of
   * the batch. Throws or rejects with `ConsumerLeft` when the consumer reads no further.
   */
  emit(batch: readonly T[]): Promise<void> | undefined;
}

/** Ends a producer whose consumer reads no further. It cleans up, and decides nothing any more. */
export class ConsumerLeft extends Error {
  override readonly name = 'ConsumerLeft';

  constructor() {
    super('The consumer reads no further.');
  }
}
