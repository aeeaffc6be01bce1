/** What the runner passes to the process of a row, and what this process leaves for it. */
import type { Figure } from './figures.ts';

/** The variable that holds an `Order` as JSON. */
export const ORDER = 'TURNWRIGHT_TORTURE';

/** A row is stopped, and missed, after this many times its budget: other programs may be busy on the machine. */
export const PATIENCE = 5;

export interface Order {
  readonly id: string;
  /** Of the row, below this folder, without `.ts`. */
  readonly file: string;
  readonly quick: boolean;
  readonly seed: number;
  /** The seed was given by hand: only this one is run, where a row runs many. */
  readonly replay: boolean;
  readonly budgetSeconds: number;
  /** The file for an `Outcome` as JSON. */
  readonly outcome: string;
}

export interface Outcome {
  readonly figures: readonly Figure[];
  /** Why the row did not come to its end. */
  readonly error?: string;
}
