/** What `use` makes of a value that is known now, or of the one that a promise brings: nothing waits where nothing has to. */
export function andThen<T, R>(value: T | Promise<T>, use: (value: T) => R | Promise<R>): R | Promise<R> {
  return value instanceof Promise ? value.then(use) : use(value);
}
