/**
 * The items of batches, one by one; what is no array is a batch of one. The batches' generator goes on only when its
 * last batch is used up, so it may take a batch as taken when it is asked for the next.
 */
export function flattened<T, R>(
  batches: AsyncGenerator<T | readonly T[], R, void>,
  /** Asked before each item; a throw ends the batches with it, false drops what is left of this batch. */
  wanted: () => boolean = () => true,
): AsyncGenerator<T, R, void> {
  let batch: readonly T[] = [];
  let at = 0;
  let pulling: Promise<IteratorResult<T, R>> | undefined;

  const take = (
    step: IteratorResult<T | readonly T[], R>,
  ): IteratorResult<T, R> | Promise<IteratorResult<T, R>> => {
    if (step.done === true) return step;
    batch = Array.isArray(step.value) ? step.value : [step.value as T];
    at = 0;
    return buffered() ?? batches.next().then(take);
  };
  const buffered = (): IteratorYieldResult<T> | undefined =>
    at < batch.length ? { done: false, value: batch[at++] as T } : undefined;
  const pull = (): Promise<IteratorResult<T, R>> => {
    const pulled = batches.next().then(take);
    const settled = () => {
      if (pulling === pulled) pulling = undefined;
    };
    pulling = pulled;
    pulled.then(settled, settled);
    return pulled;
  };
  const drop = () => {
    batch = [];
  };

  const items: AsyncGenerator<T, R, void> = {
    next() {
      // Two that ask at once are answered in order.
      if (pulling !== undefined) {
        const again = () => items.next();
        return pulling.then(again, again);
      }
      try {
        if (at < batch.length && !wanted()) drop();
      } catch (error) {
        drop();
        return batches.throw(error).then(take);
      }
      const item = buffered();
      return item === undefined ? pull() : Promise.resolve(item);
    },
    return(value) {
      drop();
      return batches.return(value).then(take);
    },
    throw(error) {
      drop();
      return batches.throw(error).then(take);
    },
    [Symbol.asyncIterator]: () => items,
    async [Symbol.asyncDispose]() {
      await items.return(undefined as R);
    },
  };
  return items;
}
