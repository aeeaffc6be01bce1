/** The difference between two records of texts by name. */
export interface Changes {
  /** Added names, and names whose text changed. */
  readonly fresh: readonly (readonly [name: string, text: string])[];
  /** Removed names. */
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
