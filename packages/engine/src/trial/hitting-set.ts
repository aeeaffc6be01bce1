/** The smallest choice among numbered candidates that meets all demands: exact, within a bound of steps. */

interface Demands {
  /** Of each, at least one candidate is chosen. */
  readonly atLeastOne: readonly ReadonlySet<number>[];
  /** Of each, at least one candidate is left out. */
  readonly notAll: readonly ReadonlySet<number>[];
}

export interface FewestChosen {
  readonly chosen: ReadonlySet<number>;
  /** No smaller choice does; else each has at least this many. */
  readonly isSmallest: boolean;
  readonly atLeast: number;
}

/** Steps of the exact search, each some microseconds. */
const MOST_STEPS = 200_000;

/** undefined: no choice meets the demands, or none was found within the bound. */
export function chooseFewest(demands: Demands, mostSteps = MOST_STEPS): FewestChosen | undefined {
  const clauses = withoutImplied(demands.atLeastOne);
  const lowest = countDisjoint(clauses);
  let best = chooseGreedily(clauses, demands.notAll);
  let steps = 0;
  let isCutOff = false;
  const search = (chosen: Set<number>, left: Set<number>): void => {
    if (++steps > mostSteps) isCutOff = true;
    if (isCutOff) return;
    const open = clauses.filter((clause) => !meets(clause, chosen));
    if (
      best !== undefined &&
      chosen.size + Math.max(countDisjoint(open), open.length > 0 ? 1 : 0) >= best.size
    )
      return;
    if (open.length === 0) {
      best = new Set(chosen);
      return;
    }
    const [clause = new Set<number>()] = open.toSorted((a, b) => free(a, left) - free(b, left));
    const tried: number[] = [];
    for (const candidate of clause) {
      if (left.has(candidate)) continue;
      chosen.add(candidate);
      if (!isForbidden(chosen, demands.notAll)) search(chosen, left);
      chosen.delete(candidate);
      // What was tried is left out of the other branches.
      left.add(candidate);
      tried.push(candidate);
    }
    for (const candidate of tried) left.delete(candidate);
  };
  if (best === undefined || best.size > lowest) search(new Set(), new Set());
  if (best === undefined) return undefined;
  const isSmallest = !isCutOff || best.size === lowest;
  return { chosen: best, isSmallest, atLeast: isSmallest ? best.size : lowest };
}

const meets = (clause: ReadonlySet<number>, chosen: ReadonlySet<number>): boolean => {
  for (const candidate of clause) if (chosen.has(candidate)) return true;
  return false;
};

const free = (clause: ReadonlySet<number>, left: ReadonlySet<number>): number => {
  let count = 0;
  for (const candidate of clause) if (!left.has(candidate)) count++;
  return count;
};

function isForbidden(chosen: ReadonlySet<number>, notAll: readonly ReadonlySet<number>[]): boolean {
  return notAll.some((clause) => [...clause].every((candidate) => chosen.has(candidate)));
}

/** A demand that another one implies says nothing. */
function withoutImplied(clauses: readonly ReadonlySet<number>[]): readonly ReadonlySet<number>[] {
  const sorted = clauses.toSorted((a, b) => a.size - b.size);
  const kept: ReadonlySet<number>[] = [];
  for (const clause of sorted)
    if (!kept.some((each) => [...each].every((one) => clause.has(one)))) kept.push(clause);
  return kept;
}

/** Demands without a candidate in common: each needs one of its own. */
function countDisjoint(clauses: readonly ReadonlySet<number>[]): number {
  const taken = new Set<number>();
  let count = 0;
  for (const clause of clauses) {
    if (meets(clause, taken)) continue;
    for (const candidate of clause) taken.add(candidate);
    count++;
  }
  return count;
}

/** The candidate that meets most demands, again and again. undefined: that leads nowhere. */
function chooseGreedily(
  clauses: readonly ReadonlySet<number>[],
  notAll: readonly ReadonlySet<number>[],
): Set<number> | undefined {
  const chosen = new Set<number>();
  let open = clauses;
  while (open.length > 0) {
    const counts = new Map<number, number>();
    for (const clause of open) for (const one of clause) counts.set(one, (counts.get(one) ?? 0) + 1);
    const [next] = [...counts]
      .filter(([one]) => !isForbidden(new Set([...chosen, one]), notAll))
      .toSorted(([a, more], [b, less]) => less - more || a - b);
    if (next === undefined) return undefined;
    chosen.add(next[0]);
    open = open.filter((clause) => !clause.has(next[0]));
  }
  return chosen;
}
