/**
 * How far a rule speaks of a call: for sure, or as it may turn out when the shell has filled in what it
 * leaves open.
 */
export type Match = 'no' | 'maybe' | 'yes';

const RANK = { no: 0, maybe: 1, yes: 2 } as const;

export function stronger(one: Match, other: Match): Match {
  return RANK[one] >= RANK[other] ? one : other;
}

/** The strongest of what the checks say; those behind a `yes` are not asked. */
export async function strongest<T>(
  items: Iterable<T>,
  check: (item: T) => Match | Promise<Match>,
): Promise<Match> {
  let found: Match = 'no';
  for (const item of items) {
    found = stronger(found, await check(item));
    if (found === 'yes') return found;
  }
  return found;
}

/** What would be sure is only possible: the word is not known. */
export function onlyMaybe(match: Match): Match {
  return match === 'yes' ? 'maybe' : match;
}
