/** What `make` makes, made when it is first asked for: most sessions never ask for most of what they could. */
export function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
