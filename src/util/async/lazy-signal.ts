/**
 * Signals that are created when they are first read: most lifetimes end without a listener on theirs.
 *
 * All objects share one accessor. A getter in an object literal is another function in each object, so V8 keeps
 * such an object as a dictionary: it takes ten times as long to make and three times as long to read.
 */
import type { Life } from '../../protocol/life.ts';

/** Adds `signal`: that of `life`. Returns the same object. */
export const withSignal = lazySignal('signal');

/** Adds `sessionSignal`: that of the session's lifetime. Returns the same object. */
export const withSessionSignal = lazySignal('sessionSignal');

type Lasting = Pick<Life, 'signal'>;

function lazySignal<Name extends string>(name: Name) {
  const life = Symbol(name);
  const accessor: PropertyDescriptor & ThisType<{ readonly [life]: Lasting }> = {
    enumerable: true,
    configurable: true,
    get() {
      return this[life].signal;
    },
  };
  return <T extends object>(object: T, lasting: Lasting): T & { readonly [name in Name]: AbortSignal } => {
    (object as { [life]: Lasting })[life] = lasting;
    return Object.defineProperty(object, name, accessor) as T & { readonly [name in Name]: AbortSignal };
  };
}
