/** Applies `use` to a value that may be a promise; synchronous if it is not. */
export function andThen<T, R>(value: T | Promise<T>, use: (value: T) => R | Promise<R>): R | Promise<R> {
  return value instanceof Promise ? value.then(use) : use(value);
}
