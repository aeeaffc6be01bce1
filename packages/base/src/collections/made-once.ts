/** Values that are made once: for each object, until a source changes, or for good. */

/** A function that calls `make` once per object, and keeps the value for the object's lifetime. */
export function oncePer<K extends object, V extends NonNullable<unknown>>(make: (of: K) => V): (of: K) => V {
  const known = new WeakMap<K, V>();
  return (of) => {
    let value = known.get(of);
    if (value === undefined) {
      value = make(of);
      known.set(of, value);
    }
    return value;
  };
}

/** Whether both lists have the same items, in the same order. */
export const isSameList = (a: readonly unknown[], b: readonly unknown[]): boolean =>
  a.length === b.length && a.every((item, at) => item === b[at]);

/** A function that calls `make` again only when one of the values has changed. */
export function whileSame<Sources extends readonly unknown[], Made>(
  sources: () => Sources,
  make: (now: Sources) => Made,
): () => Made {
  let last: { readonly from: Sources; readonly made: Made } | undefined;
  return () => {
    const from = sources();
    if (last === undefined || !isSameList(from, last.from)) last = { from, made: make(from) };
    return last.made;
  };
}

/** A value that is created on first access. */
export function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
