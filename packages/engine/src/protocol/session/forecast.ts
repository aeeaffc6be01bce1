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
  /** There are too few runs to say. `runs`: of this model; `dearer`: of those that cost more than this one has. */
  | { readonly kind: 'unknown'; readonly runs: number; readonly dearer: number };
