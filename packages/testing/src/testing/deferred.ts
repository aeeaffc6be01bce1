/**
 * A promise that is settled from outside: a gate in a scripted stream, or a tool that ends when the test says
 * so.
 */
export interface Deferred<T = void> {
  readonly promise: Promise<T>;
  resolve(value: T | PromiseLike<T>): void;
  reject(reason: unknown): void;
}

/**
 * A promise that the test settles itself.
 *
 * @example
 * ```ts
 * const written = deferred<void>();
 * const model = scriptedModel([reply([say('One.'), pause(written.promise), say('Two.')])]);
 * written.resolve();
 * ```
 */
export function deferred<T = void>(): Deferred<T> {
  let resolve: Deferred<T>['resolve'] = () => {};
  let reject: Deferred<T>['reject'] = () => {};
  const promise = new Promise<T>((res, rej) => {
    resolve = res;
    reject = rej;
  });
  // A rejected gate without a consumer must not end the process.
  promise.catch(() => {});
  return { promise, resolve, reject };
}
