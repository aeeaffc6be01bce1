export interface Resolvable<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
}

export function createResolvable<T>(): Resolvable<T> {
  let resolve: (value: T) => void = () => {};
  const promise = new Promise<T>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
