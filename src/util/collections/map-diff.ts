/** How one record of texts by name came to be another. */
export interface Changes {
  /** New ones, and those whose text is another. */
  readonly fresh: readonly (readonly [name: string, text: string])[];
  /** Names. */
  readonly removed: readonly string[];
}

/** undefined: nothing changed. */
export function changesBetween(
  before: ReadonlyMap<string, string>,
  now: ReadonlyMap<string, string>,
): Changes | undefined {
  const fresh = [...now].filter(([name, text]) => before.get(name) !== text);
  const removed = [...before.keys()].filter((name) => !now.has(name));
  return fresh.length + removed.length === 0 ? undefined : { fresh, removed };
}
