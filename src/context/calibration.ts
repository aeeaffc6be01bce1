/** How far estimates are off for a model, learned from what the provider reports (F29). Plain factors, no I/O. */

export interface Calibration {
  /** Real tokens per estimated one; 1 until a report says otherwise. */
  factor(model: string): number;
  /** `estimated` is without any factor. */
  report(estimated: number, reported: number, model: string): void;
}

/** What is estimated below this many tokens says more about framing than about density. */
const LEAST_TOKENS = 1_000;
/** Weight of a report beside those before it; the first one counts whole. */
const WEIGHT = 0.4;
/** A provider that reports more than this, or less, is counting something else. */
const MIN_FACTOR = 0.5;
const MAX_FACTOR = 4;

export function createCalibration(): Calibration {
  return new Factors();
}

class Factors implements Calibration {
  #known: Map<string, number> | undefined;

  factor(model: string): number {
    return this.#known?.get(model) ?? 1;
  }

  report(estimated: number, reported: number, model: string): void {
    if (estimated < LEAST_TOKENS || reported <= 0) return;
    const seen = Math.min(MAX_FACTOR, Math.max(MIN_FACTOR, reported / estimated));
    this.#known ??= new Map();
    const known = this.#known.get(model);
    this.#known.set(model, known === undefined ? seen : known + (seen - known) * WEIGHT);
  }
}
