/**
 * What one decision may cost. Words of a command come from a model, and rules may come from a repository:
 * together they must not keep the process from its other work.
 */

/** A step takes about a tenth of a microsecond. More than these are not taken for one call. */
export const MOST_STEPS = 2_000_000;
/** Nor are more than these without a pause, in which other work of the process is done. */
export const MOST_AT_ONCE = 100_000;
const PAUSE_AFTER = 25_000;

/** The call counts as one that a rule may forbid. */
export class TooManySteps extends Error {
  override readonly name = 'TooManySteps';
}

/** The steps of one decision, counted wherever text that is not ours is held against a rule. */
export class Steps {
  readonly #most: number;
  readonly #mostAtOnce: number;
  #taken = 0;
  #pausedAt = 0;
  #longest = 0;

  constructor(most = MOST_STEPS, mostAtOnce = MOST_AT_ONCE) {
    this.#most = most;
    this.#mostAtOnce = mostAtOnce;
  }

  /** What all of it has cost so far. */
  get taken(): number {
    return this.#taken;
  }

  /** The most that was done without a pause. */
  get longest(): number {
    return Math.max(this.#longest, this.#taken - this.#pausedAt);
  }

  /** Throws `TooManySteps` beyond the bound. */
  readonly take = (steps = 1): void => {
    this.#taken += steps;
    if (this.#taken > this.#most || this.#taken - this.#pausedAt > this.#mostAtOnce)
      throw new TooManySteps('More steps than one decision may take.');
  };

  /** To be awaited between two looks; undefined: it is not time yet. */
  pause(): Promise<void> | undefined {
    if (this.#taken - this.#pausedAt < PAUSE_AFTER) return undefined;
    this.#longest = this.longest;
    this.#pausedAt = this.#taken;
    return new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}
