/** What `make` makes of these, made anew only when one of them is another value than before. */
export function whileSame<Sources extends readonly unknown[], Made>(
  sources: () => Sources,
  make: (now: Sources) => Made,
): () => Made {
  let last: { readonly from: Sources; readonly made: Made } | undefined;
  return () => {
    const from = sources();
    if (last === undefined || from.some((each, i) => each !== last?.from[i]))
      last = { from, made: make(from) };
    return last.made;
  };
}
