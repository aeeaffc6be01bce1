import { isSameList } from './same-list.ts';

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
