/**
 * What one decision may cost. Words of a command come from a model, and rules may come from a repository:
 * together they must not keep the process from its other work.
 */

/** A step takes some tenths of a microsecond. No call takes more than these, whatever the rules. */
const MOST_STEPS = 2_000_000;
const BESIDE_NO_RULE = 500_000;
/** What an everyday line takes for one rule about paths, generously. */
const FOR_EACH_RULE = 300;

/** Many rules cost what they cost; a few do not make a line dear. */
export const mostStepsFor = (rules: number): number =>
  Math.min(MOST_STEPS, BESIDE_NO_RULE + FOR_EACH_RULE * rules);

/** Nor are more than these without a pause, in which other work of the process is done. */
export const MOST_AT_ONCE = 25_000;
const PAUSE_AFTER = 5_000;
/** What is not counted, and a slow machine, take time too. */
const PAUSE_AFTER_MS = 10;

/** The call counts as one that a rule may forbid. */
export class TooManySteps extends Error {
  override readonly name = 'TooManySteps';
}

/** The steps of one decision, counted wherever text that is not ours is held against a rule. */
export class Steps {
  readonly most: number;
  readonly #mostAtOnce: number;
  #taken = 0;
  #pausedAt = 0;
  #longest = 0;
  #pausedAtMs = performance.now();
  #pausing: Promise<void> | undefined;

  constructor(most = mostStepsFor(0), mostAtOnce = MOST_AT_ONCE) {
    this.most = most;
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
    if (this.#taken > this.most || this.#taken - this.#pausedAt > this.#mostAtOnce)
      throw new TooManySteps('More steps than one decision may take.');
  };

  /** To be awaited between two looks; undefined: not yet. What goes on side by side waits together. */
  pause(): Promise<void> | undefined {
    if (this.#pausing !== undefined) return this.#pausing;
    if (this.#taken - this.#pausedAt < PAUSE_AFTER && performance.now() - this.#pausedAtMs < PAUSE_AFTER_MS)
      return undefined;
    this.#longest = this.longest;
    this.#pausedAt = this.#taken;
    this.#pausing = new Promise((resolve) => {
      setImmediate(() => {
        this.#pausing = undefined;
        this.#pausedAtMs = performance.now();
        resolve();
      });
    });
    return this.#pausing;
  }
}
