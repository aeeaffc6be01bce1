/** Sizes of models, as declared and as corrected by refusals in this session (F28, F116). */
import type { ModelFailure } from '../../protocol/model/failure.ts';
import type { ModelSize } from './thresholds.ts';

export interface ModelSizes {
  of(model: string): ModelSize;
  /** Reads the window from an overflow that states it; other failures have no effect. */
  learnFrom(failure: ModelFailure, model: string): void;
}

/** A smaller "limit" is that of something else. */
const LEAST_WINDOW = 1_000;

export function createModelSizes(declared: (model: string) => ModelSize): ModelSizes {
  return new Sizes(declared);
}

class Sizes implements ModelSizes {
  readonly #declared: (model: string) => ModelSize;
  #windows: Map<string, number> | undefined;

  constructor(declared: (model: string) => ModelSize) {
    this.#declared = declared;
  }

  of(model: string): ModelSize {
    const size = this.#declared(model);
    const window = this.#windows?.get(model);
    return window === undefined ? size : { ...size, contextWindow: window };
  }

  learnFrom({ kind, tokens }: ModelFailure, model: string): void {
    if (kind !== 'prompt_too_long' && kind !== 'output_over_window') return;
    const limit = tokens?.limit;
    if (limit === undefined || !Number.isFinite(limit) || limit < LEAST_WINDOW) return;
    this.#windows ??= new Map();
    this.#windows.set(model, limit);
  }
}
