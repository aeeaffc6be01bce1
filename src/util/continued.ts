/** How a generator that has ended goes on: with another one, or with this result. */
export type After<Y, R> =
  | { readonly kind: 'ends'; readonly result: R }
  | { readonly kind: 'goes_on'; readonly with: AsyncGenerator<Y, R, void> };

/**
 * What the generator yields; when it ends, `after` says what follows. A loop with `yield*` says the same, at the price
 * of three promises for everything yielded.
 */
export function continued<Y, R>(
  first: AsyncGenerator<Y, R, void>,
  after: (result: R) => After<Y, R>,
): AsyncGenerator<Y, R, void> {
  let current = first;
  /** Ended from outside: nothing follows. */
  let over = false;
  const follow = (step: IteratorResult<Y, R>): IteratorResult<Y, R> | Promise<IteratorResult<Y, R>> => {
    if (step.done !== true || over) return step;
    const what = after(step.value);
    if (what.kind === 'goes_on') {
      current = what.with;
      return current.next().then(follow);
    }
    over = true;
    return { done: true, value: what.result };
  };
  const outputs: AsyncGenerator<Y, R, void> = {
    next: () => current.next().then(follow),
    return(value) {
      over = true;
      return current.return(value);
    },
    throw: (error) => current.throw(error).then(follow),
    [Symbol.asyncIterator]: () => outputs,
    async [Symbol.asyncDispose]() {
      await outputs.return(undefined as R);
    },
  };
  return outputs;
}
