/** How large a model's window is, and where it is full, in tokens (L2, thresholds). */
import type { ContextLimits } from '../../protocol/model/context.ts';
import type { ModelFailure } from '../../protocol/model/failure.ts';

export interface ModelSize {
  readonly contextWindow: number;
  readonly maxOutputTokens: number;
}

/** Every figure is in tokens and replaces the result of L2's formula. */
export interface LimitOptions {
  /** Lowers the model's window; a larger value has no effect. */
  readonly window?: number;
  /** R: room kept free for the answer. */
  readonly reserve?: number;
  /** E: what the view may fill. */
  readonly effective?: number;
  /** Autocompact at this share of E, in (0, 1]. `autocompactTokens` wins over it. */
  readonly autocompactRatio?: number;
  readonly autocompactTokens?: number;
  readonly warnAt?: number;
  readonly blockingAt?: number;
}

/** Window of a model that declares none, or no output limit. */
const UNKNOWN_WINDOW = 100_000;
const UNKNOWN_MAX_OUTPUT = 8_000;

/** Distance of the warning below autocompact, also on small windows. */
const WARN_BELOW = 20_000;

export function limitsFor(model: ModelSize, options: LimitOptions = {}): ContextLimits {
  const declared = positive(model.contextWindow) ?? UNKNOWN_WINDOW;
  const window = Math.min(declared, positive(options.window) ?? declared);
  const maxOutput = positive(model.maxOutputTokens) ?? UNKNOWN_MAX_OUTPUT;

  const reserve = options.reserve ?? Math.min(maxOutput, 20_000, window / 4);
  const effective = atMost(window, options.effective ?? window - reserve);
  const autocompactAt = atMost(
    effective,
    positive(options.autocompactTokens) ??
      (positive(options.autocompactRatio) !== undefined
        ? effective * (options.autocompactRatio as number)
        : effective - Math.min(13_000, window / 8)),
  );
  return {
    window,
    maxOutput,
    effective,
    autocompactAt,
    warnAt: atMost(autocompactAt, options.warnAt ?? autocompactAt - Math.min(WARN_BELOW, autocompactAt / 2)),
    blockingAt: atMost(effective, options.blockingAt ?? effective - Math.min(3_000, window / 32)),
  };
}

function positive(value: number | undefined): number | undefined {
  return value !== undefined && Number.isFinite(value) && value > 0 ? value : undefined;
}

function atMost(limit: number, value: number): number {
  return Math.max(1, Math.floor(Math.min(limit, value)));
}

/** Sizes of models, as declared and as corrected by refusals in this session (F28, F116). */
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

/** Share of autocompact's threshold above which clearing and collapse start (L2.4, L2.5). */
const EARLY_SHARE = 0.6;

/** Tokens from which old results are cleared and collapses are staged. */
export function earlyThreshold({ autocompactAt }: ContextLimits): number {
  return Math.floor(autocompactAt * EARLY_SHARE);
}
