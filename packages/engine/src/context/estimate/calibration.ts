/** Error of the estimates for a model, learned from reported usage (F29). Plain figures, no I/O. */

export interface Calibration {
  /** Real tokens per estimated token; 1 until usage was reported. */
  factor(model: string): number;
  /** The smallest reported request, in tokens; undefined until one was reported. */
  least(model: string): number | undefined;
  /** `estimated` is without any factor. */
  report(estimated: number, reported: number, model: string): void;
  /** What was learned elsewhere. */
  set(model: string, factor: number, least: number | undefined): void;
}

/** Smaller estimates reflect framing rather than density. */
const LEAST_TOKENS = 1_000;
/** Weight of a report against earlier ones; the first one counts fully. */
const WEIGHT = 0.4;
/** Bounds: a provider outside of them counts something else. */
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

  set(model: string, factor: number, least: number | undefined): void {
    this.#known ??= new Map();
    this.#least ??= new Map();
    if (factor === 1) this.#known.delete(model);
    else this.#known.set(model, factor);
    if (least === undefined) this.#least.delete(model);
    else this.#least.set(model, least);
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
