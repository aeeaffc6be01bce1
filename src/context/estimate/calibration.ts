/** How far estimates are off for a model, learned from what the provider reports (F29). Plain figures, no I/O. */

export interface Calibration {
  /** Real tokens per estimated one; 1 until a report says otherwise. */
  factor(model: string): number;
  /** The smallest request that was reported, in tokens; undefined until one was. */
  least(model: string): number | undefined;
  /** `estimated` is without any factor. */
  report(estimated: number, reported: number, model: string): void;
}

/** What is estimated below this many tokens says more about framing than about density. */
const LEAST_TOKENS = 1_000;
/** Weight of a report beside those before it; the first one counts whole. */
const WEIGHT = 0.4;
/** A provider that reports more than this, or less, is counting something else. */
const MIN_FACTOR = 0.5;
const MAX_FACTOR = 10;

export function createCalibration(): Calibration {
  return new Factors();
}

class Factors implements Calibration {
  #known: Map<string, number> | undefined;
  #least: Map<string, number> | undefined;

  factor(model: string): number {
    return this.#known?.get(model) ?? 1;
  }

  least(model: string): number | undefined {
    return this.#least?.get(model);
  }

  report(estimated: number, reported: number, model: string): void {
    if (reported <= 0) return;
    this.#least ??= new Map();
    this.#least.set(model, Math.min(reported, this.#least.get(model) ?? reported));
    if (estimated < LEAST_TOKENS) return;
    const seen = Math.min(MAX_FACTOR, Math.max(MIN_FACTOR, reported / estimated));
    this.#known ??= new Map();
    const known = this.#known.get(model);
    this.#known.set(model, known === undefined ? seen : known + (seen - known) * WEIGHT);
  }
}
