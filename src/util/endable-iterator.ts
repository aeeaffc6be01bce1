/**
 * JavaScript queues `.return()` and `.throw()` behind a pending `next()`. This iterator aborts first and then
 * delegates, so that ending early works while the generator is waiting. Once it has ended there is nothing to abort.
 */
export function endableIterator<T, R>(
  generator: AsyncGenerator<T, R, void>,
  abort: (how: 'return' | 'throw') => void,
): AsyncGenerator<T, R, void> {
  let ended = false;
  const seen = ({ done }: IteratorResult<T, R>) => {
    ended ||= done === true;
  };
  const failed = () => {
    ended = true;
  };
  const next = () => {
    const step = generator.next();
    step.then(seen, failed);
    return step;
  };
  const wrapped: AsyncGenerator<T, R, void> = {
    next,
    return(value) {
      if (!ended) abort('return');
      return generator.return(value);
    },
    throw(error) {
      if (!ended) abort('throw');
      return generator.throw(error);
    },
    [Symbol.asyncIterator]: () => wrapped,
    async [Symbol.asyncDispose]() {
      await wrapped.return(undefined as R);
    },
  };
  return wrapped;
}
