/** A function that calls `make` again only when one of the values has changed. */
export function whileSame<Sources extends readonly unknown[], Made>(
  sources: () => Sources,
  make: (now: Sources) => Made,
): () => Made {
  let last: { readonly from: Sources; readonly made: Made } | undefined;
  return () => {
    const from = sources();
    if (last === undefined || !isSame(from, last.from)) last = { from, made: make(from) };
    return last.made;
  };
}

/** Whether both lists have the same items. */
export function isSame(a: readonly unknown[], b: readonly unknown[]): boolean {
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i++) if (a[i] !== b[i]) return false;
  return true;
}
