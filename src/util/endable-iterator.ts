/**
 * JavaScript queues `.return()` and `.throw()` behind a pending `next()`. This iterator aborts first and then
 * delegates, so that ending early works while the generator is waiting.
 */
export function endableIterator<T, R>(
  generator: AsyncGenerator<T, R, void>,
  abort: (how: 'return' | 'throw') => void,
): AsyncGenerator<T, R, void> {
  const wrapped: AsyncGenerator<T, R, void> = {
    next: () => generator.next(),
    return(value) {
      abort('return');
      return generator.return(value);
    },
    throw(error) {
      abort('throw');
      return generator.throw(error);
    },
    [Symbol.asyncIterator]: () => wrapped,
    async [Symbol.asyncDispose]() {
      await wrapped.return(undefined as R);
    },
  };
  return wrapped;
}
