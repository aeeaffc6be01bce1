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
