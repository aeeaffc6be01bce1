/** A distribution of values since the start of a worker. */

export interface Histogram {
  add(value: number): void;
  /** Upper bounds, each with how many values were at most so large. */
  readonly buckets: readonly (readonly [bound: number, count: number])[];
  readonly count: number;
  readonly sum: number;
}

/** Seconds, from a fast statement to a long run. */
export const SECONDS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300, 1_800, 7_200] as const;

export function createHistogram(bounds: readonly number[]): Histogram {
  const counts = bounds.map(() => 0);
  let count = 0;
  let sum = 0;
  return {
    add(value) {
      count += 1;
      sum += value;
      const at = bounds.findIndex((bound) => value <= bound);
      if (at >= 0) counts[at] = (counts[at] ?? 0) + 1;
    },
    get buckets() {
      let below = 0;
      return bounds.map((bound, at) => {
        below += counts[at] ?? 0;
        return [bound, below] as const;
      });
    },
    get count() {
      return count;
    },
    get sum() {
      return sum;
    },
  };
}
