/**
 * Signals that are created when they are first read: most lifetimes end without a listener on theirs.
 *
 * All objects share one accessor. A getter in an object literal is another function in each object, so V8
 * keeps such an object as a dictionary, which takes ten times as long to make and three times to read.
 */

interface Lasting {
  readonly signal: AbortSignal;
}

/** Adds `signal`: that of `lasting`. Returns the same object. */
export const withSignal = lazySignal('signal');

/** Adds `sessionSignal`: that of the session's lifetime. Returns the same object. */
export const withSessionSignal = lazySignal('sessionSignal');

function lazySignal<Name extends string>(name: Name) {
  const lifetime = Symbol(name);
  const accessor: PropertyDescriptor & ThisType<{ readonly [lifetime]: Lasting }> = {
    enumerable: true,
    configurable: true,
    get() {
      return this[lifetime].signal;
    },
  };
  type Signal = { readonly [name in Name]: AbortSignal };
  return <T extends object>(object: T, lasting: Lasting): T & Signal => {
    // Not enumerable: a host that prints the object is not shown what is behind its signal.
    Object.defineProperty(object, lifetime, { value: lasting });
    return Object.defineProperty(object, name, accessor) as T & Signal;
  };
}
