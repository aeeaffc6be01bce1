/** The lifetime that an object's signal is of. Not enumerable: who prints the object is not shown it. */
const lifetime = Symbol('lifetime');

interface Lasting {
  readonly signal: AbortSignal;
}

/** One for all objects: with a getter of its own, each would be a dictionary (docs/performance.md). */
const SIGNAL: PropertyDescriptor & ThisType<{ readonly [lifetime]: Lasting }> = {
  enumerable: true,
  configurable: true,
  get() {
    return this[lifetime].signal;
  },
};

/**
 * Adds `signal` to the object and returns it: that of the lifetime, created when it is first read. Most
 * lifetimes end without a listener on theirs.
 */
export function withSignal<T extends object>(object: T, life: Lasting): T & { readonly signal: AbortSignal } {
  Object.defineProperty(object, lifetime, { value: life });
  return Object.defineProperty(object, 'signal', SIGNAL) as T & { readonly signal: AbortSignal };
}
