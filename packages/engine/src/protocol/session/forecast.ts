/** What a run will probably cost, from the runs of the same person in the same folder. */

/** One finished run, as the history of a folder keeps it. */
export interface FinishedRun {
  /** When it ended, in ms since 1970. */
  readonly at: number;
  readonly model: string;
  /** `main`, or the agent that the session ran as. */
  readonly agent: string;
  /** Tokens that it began with: prompt and conversation, about. */
  readonly tokens: number;
  /** USD, agents and helpers included. */
  readonly usd: number;
}

/** What is known of a run whose cost is asked for. */
export type RunToForecast = Pick<FinishedRun, 'agent' | 'model' | 'tokens'> & {
  /** USD that it has cost so far. Default 0: it has not begun. */
  readonly spentUsd?: number | undefined;
};

/** Which earlier runs a range is made of; all of them had the same model. */
export type ForecastBasis = 'model_agent_size' | 'model_agent' | 'model';

/** The whole cost of a run in USD, what is spent already included. */
export type CostForecast =
  | {
      readonly kind: 'range';
      readonly lowUsd: number;
      readonly highUsd: number;
      /** How many of all runs end within such a range, from 0 to 1. */
      readonly share: number;
      /** Earlier runs that it is made of. */
      readonly runs: number;
      readonly basis: ForecastBasis;
    }
  /** There are too few runs. `runs`: of this model; `dearer`: those that cost as much as this one has. */
  | { readonly kind: 'unknown'; readonly runs: number; readonly dearer: number };

const BASIS: Readonly<Record<ForecastBasis, string>> = {
  model_agent_size: 'runs like this',
  model_agent: 'runs with this model and agent',
  model: 'runs with this model',
};

/**
 * A forecast as a sentence, with what it rests on.
 *
 * @example
 * const low = { kind: 'range', lowUsd: 0.02, highUsd: 0.11, share: 0.8, runs: 34, basis: 'model' } as const;
 * describeForecast(low); // 'It will probably cost $0.02–0.11: 80 % of 34 runs with this model did.'
 */
export function describeForecast(forecast: CostForecast, spentUsd = 0): string {
  const spent = spentUsd > 0 ? `$${usdText(spentUsd)} is spent. ` : '';
  if (forecast.kind === 'range') {
    const { lowUsd, highUsd, share, runs, basis } = forecast;
    const which = spentUsd > 0 ? `${BASIS[basis]} that came as far` : BASIS[basis];
    return `${spent}It will probably cost $${usdText(lowUsd)}–${usdText(highUsd)}: ${Math.round(100 * share)} % of ${runs} ${which} did.`;
  }
  const { runs, dearer } = forecast;
  if (runs === 0) return `${spent}No forecast: no run with this model is recorded here.`;
  const few = `only ${spentUsd > 0 ? `${dearer} of ${runs}` : runs} ${runs === 1 ? 'run' : 'runs'} with this model`;
  const did = spentUsd > 0 ? 'came as far' : `${runs === 1 ? 'is' : 'are'} recorded here`;
  return `${spent}No forecast: ${few} ${did}.`;
}

/** Of a run that has not begun, like the last one of its folder. */
export function describeNextRun(next: CostForecast): string {
  const said = describeForecast(next);
  return next.kind === 'range' ? `A run like the last one. ${said}` : said;
}

/** Two digits that matter, cents at least. */
export function usdText(usd: number): string {
  return usd >= 0.1 || usd === 0 ? usd.toFixed(2) : usd.toFixed(Math.min(6, 1 - Math.floor(Math.log10(usd))));
}
