/**
 * The range in which a run will end: the outer quantiles of runs like it. Where this run is one more of the
 * same kind, each gap between two sorted costs is as likely as any other to hold its own, so what the range
 * promises does not depend on how costs are distributed.
 */
import type {
  CostForecast,
  FinishedRun,
  ForecastBasis,
  RunToForecast,
} from '../../protocol/session/forecast.ts';

/** Of all runs, about this many end within the range. */
const SHARE = 0.8;
/** With fewer runs, no two of them are `SHARE` apart. */
const LEAST_RUNS = 9;
/** Older runs say less about today's prompts and prices. */
const MOST_RUNS = 200;
/** Runs of one size differ by this factor at most. */
const SIZE_FACTOR = 4;

/** `history`: oldest first. */
export function forecastCost(history: readonly FinishedRun[], run: RunToForecast): CostForecast {
  const { spentUsd = 0 } = run;
  const kinds = listKinds(history, run);
  for (const [basis, runs] of kinds) {
    const newest = runs.slice(-MOST_RUNS);
    // A run that has cost this much is compared with those that came as far.
    const costs = newest.flatMap(({ usd }) => (usd >= spentUsd ? [usd] : [])).sort((a, b) => a - b);
    const range = middleOf(costs);
    if (range !== undefined) return { kind: 'range', ...range, runs: costs.length, basis };
  }
  const runs = kinds.at(-1)?.[1] ?? [];
  return { kind: 'unknown', runs: runs.length, dearer: runs.filter(({ usd }) => usd >= spentUsd).length };
}

/** From the runs that are most like it to all of its model. */
function listKinds(
  history: readonly FinishedRun[],
  { model, agent, tokens }: RunToForecast,
): readonly (readonly [ForecastBasis, readonly FinishedRun[]])[] {
  const ofModel = history.filter((run) => run.model === model);
  const ofAgent = ofModel.filter((run) => run.agent === agent);
  const size = sizeClass(tokens);
  return [
    ['model_agent_size', ofAgent.filter((run) => sizeClass(run.tokens) === size)],
    ['model_agent', ofAgent],
    ['model', ofModel],
  ];
}

const sizeClass = (tokens: number): number =>
  Math.floor(Math.log(Math.max(1, tokens)) / Math.log(SIZE_FACTOR));

/** There is one gap more than `sorted` costs; the range leaves the same number out at both ends. */
function middleOf(
  sorted: readonly number[],
): { readonly lowUsd: number; readonly highUsd: number; readonly share: number } | undefined {
  const gaps = sorted.length + 1;
  if (sorted.length < LEAST_RUNS) return undefined;
  const inside = Math.round(SHARE * gaps);
  const low = Math.max(1, Math.floor((gaps - inside) / 2));
  const high = Math.min(sorted.length, low + inside);
  return {
    lowUsd: sorted[low - 1] as number,
    highUsd: sorted[high - 1] as number,
    share: (high - low) / gaps,
  };
}
