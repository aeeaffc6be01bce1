/** The figures of an eval, of its records alone. */
import type { CheckOutcome, EndedRun, RunTokens } from './run-record.ts';

export interface CaseScore {
  readonly case: string;
  readonly variant: string;
  /** Of each run, in order; undefined: it was not run. */
  readonly outcomes: readonly (EndedRun['outcome'] | undefined)[];
  readonly passed: number;
  /** Runs that count. */
  readonly counted: number;
  /** The first check that failed, of the first run that failed. */
  readonly firstFailure?: { readonly run: number } & CheckOutcome;
}

export interface VariantScore {
  readonly variant: string;
  readonly passed: number;
  readonly counted: number;
  /** Not run, or not to the end, because the eval's budget was spent. */
  readonly noMoney: number;
  /**
   * By k, for each k up to the number of runs: the chance that one of k runs passes. Absent: no case has k
   * runs.
   */
  readonly passAt: Readonly<Record<number, number>>;
  /** Of the runs that count. `judgeUsd`: of checks. */
  readonly costUsd: { readonly total: number; readonly mean: number };
  readonly judgeUsd: number;
  readonly tokens: RunTokens;
  readonly turns: { readonly total: number; readonly mean: number };
  readonly durationMs: { readonly p50: number; readonly max: number };
  readonly reasons: Readonly<Record<string, number>>;
  readonly decisions: Readonly<Record<string, number>>;
  readonly denials: number;
}

export interface Scores {
  readonly variants: readonly VariantScore[];
  readonly cases: readonly CaseScore[];
}

interface Plan {
  readonly cases: readonly string[];
  readonly variants: readonly string[];
  readonly runs: number;
}

export function score(ended: readonly EndedRun[], { cases, variants, runs }: Plan): Scores {
  const rows = variants.flatMap((variant) => cases.map((name) => scoreCase(ended, name, variant, runs)));
  return {
    cases: rows,
    variants: variants.map((variant) =>
      scoreVariant(
        variant,
        ended.filter((one) => one.variant === variant),
        rows.filter((one) => one.variant === variant),
        runs,
      ),
    ),
  };
}

/**
 * The unbiased estimate that one of k runs passes, of n runs of which c passed: 1 − C(n−c, k) / C(n, k).
 * undefined: there are fewer than k runs.
 */
export function estimatePassAt(n: number, c: number, k: number): number | undefined {
  if (k < 1 || n < k) return undefined;
  let noneOfK = 1;
  for (let i = 0; i < k; i++) noneOfK *= Math.max(0, n - c - i) / (n - i);
  return 1 - noneOfK;
}

function scoreCase(ended: readonly EndedRun[], name: string, variant: string, runs: number): CaseScore {
  const own = ended.filter((one) => one.case === name && one.variant === variant);
  const outcomes = Array.from({ length: runs }, (_, at) => own.find(({ run }) => run === at + 1)?.outcome);
  const failed = own.filter(({ outcome }) => outcome === 'failed').sort((a, b) => a.run - b.run)[0];
  const check = failed?.checks.find(({ passed, skipped }) => !passed && skipped === undefined);
  return {
    case: name,
    variant,
    outcomes,
    passed: outcomes.filter((outcome) => outcome === 'passed').length,
    counted: outcomes.filter(counts).length,
    ...(failed !== undefined && check !== undefined && { firstFailure: { run: failed.run, ...check } }),
  };
}

const counts = (outcome: EndedRun['outcome'] | undefined): boolean =>
  outcome === 'passed' || outcome === 'failed';

function scoreVariant(
  variant: string,
  ended: readonly EndedRun[],
  cases: readonly CaseScore[],
  runs: number,
): VariantScore {
  const own = ended.filter(({ outcome }) => counts(outcome));
  const n = own.length;
  const mean = (total: number) => (n === 0 ? 0 : total / n);
  const costUsd = sum(own, ({ costUsd: usd }) => usd);
  const turns = sum(own, (one) => one.turns);
  const times = own.map(({ durationMs }) => durationMs).sort((a, b) => a - b);
  return {
    variant,
    passed: sum(cases, ({ passed }) => passed),
    counted: n,
    noMoney: ended.length - n,
    passAt: passAtEach(cases, runs),
    costUsd: { total: costUsd, mean: mean(costUsd) },
    judgeUsd: sum(own, (one) => one.judgeUsd),
    tokens: {
      input: sum(own, ({ tokens }) => tokens.input),
      output: sum(own, ({ tokens }) => tokens.output),
      cacheRead: sum(own, ({ tokens }) => tokens.cacheRead),
      cacheWrite: sum(own, ({ tokens }) => tokens.cacheWrite),
    },
    turns: { total: turns, mean: mean(turns) },
    durationMs: { p50: times[Math.ceil(n / 2) - 1] ?? 0, max: times.at(-1) ?? 0 },
    reasons: countBy(own.map(({ reason }) => [reason, 1])),
    decisions: countBy(own.flatMap(({ decisions }) => Object.entries(decisions))),
    denials: sum(own, ({ denials }) => denials),
  };
}

/** The mean over the cases that have so many runs. */
function passAtEach(cases: readonly CaseScore[], runs: number): Record<number, number> {
  const found: Record<number, number> = {};
  for (let k = 1; k <= runs; k++) {
    const estimates = cases.flatMap(({ counted: n, passed: c }) => estimatePassAt(n, c, k) ?? []);
    if (estimates.length > 0) found[k] = estimates.reduce((a, b) => a + b, 0) / estimates.length;
  }
  return found;
}

const sum = <T>(items: readonly T[], figure: (item: T) => number): number =>
  items.reduce((total, item) => total + figure(item), 0);

/** The most frequent first. */
function countBy(counted: readonly (readonly [string, number])[]): Record<string, number> {
  const counts = new Map<string, number>();
  for (const [name, count] of counted) counts.set(name, (counts.get(name) ?? 0) + count);
  return Object.fromEntries([...counts].sort((a, b) => b[1] - a[1]));
}
