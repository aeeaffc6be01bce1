/** Waits for `work`, at most `ms`; undefined: there is nothing to wait for. */
export async function within(ms: number, work: Promise<unknown> | undefined): Promise<void> {
  if (work === undefined) return;
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, ms);
  });
  await Promise.race([work, limit]).finally(() => clearTimeout(timer));
}

/** Resolves when the signal is aborted; at once if it is already. */
export function whenAborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}

/**
 * Settles with `work`, or rejects with the signal's reason as soon as it is aborted. Removes its listener.
 */
export function unlessAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const onAbort = () => reject(signal.reason);
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', onAbort));
  });
}

/** Resolves with the next call of the function in `waiting`, or on abort. */
export function nextCall(waiting: Set<() => void>, signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const done = () => {
      waiting.delete(done);
      signal.removeEventListener('abort', done);
      resolve();
    };
    waiting.add(done);
    signal.addEventListener('abort', done, { once: true });
  });
}

/** Applies `use` to a value that may be a promise; synchronous if it is not. */
export function andThen<T, R>(value: T | Promise<T>, use: (value: T) => R | Promise<R>): R | Promise<R> {
  return value instanceof Promise ? value.then(use) : use(value);
}

/**
 * Resolves at the end of this tick. Node writes a request to its socket there, after all promises that can
 * run; await this to have it written first.
 */
export const thisTick = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve));

/** Resolves at the end of this turn of the event loop: what its sockets had at hand has been read by then. */
export const thisTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

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
