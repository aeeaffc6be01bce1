/**
 * Consequences of the API's clearing: estimates omit cleared results, and a compaction requests the clearing
 * too.
 */
import type { EstimatedRequest, RequestEstimate } from '../../protocol/model/context.ts';
import type { ViewMessage } from '../../protocol/model/messages.ts';
import type { ModelRequest } from '../../protocol/model/model.ts';
import type { View } from '../../protocol/model/view.ts';
import type { Estimates } from '../estimate/estimates.ts';
import type { ApiClearing } from './api-clearing.ts';
import type { ResultIndex } from './result-index.ts';

/**
 * A compaction reads the same conversation as the main request, so that it hits the prompt cache and fits.
 */
export function alsoCleared(
  request: ModelRequest,
  cached: (model: string) => boolean,
  clearing: ApiClearing,
  indexOf: (view: View) => ResultIndex,
): ModelRequest {
  if (request.querySource !== 'compact' || !cached(request.model)) return request;
  const contextManagement = clearing.request(indexOf(request.view));
  return contextManagement === undefined ? request : { ...request, contextManagement };
}

export function withoutCleared(
  estimates: Estimates,
  clearing: ApiClearing,
  indexOf: (view: View) => ResultIndex,
): Estimates {
  return new WithoutCleared(estimates, clearing, indexOf);
}

class WithoutCleared implements Estimates {
  readonly #estimates: Estimates;
  readonly #clearing: ApiClearing;
  readonly #indexOf: (view: View) => ResultIndex;

  constructor(estimates: Estimates, clearing: ApiClearing, indexOf: (view: View) => ResultIndex) {
    this.#estimates = estimates;
    this.#clearing = clearing;
    this.#indexOf = indexOf;
  }

  counted(view: View, tokens: number): void {
    this.#estimates.counted(view, tokens);
  }

  estimate(messages: readonly ViewMessage[], model?: string): number {
    return this.#estimates.estimate(this.#clearing.asCounted(messages), model);
  }

  measure(request: EstimatedRequest): RequestEstimate {
    const measured = this.#estimates.measure(request);
    const index = this.#indexOf(request.view);
    const cleared = index.savings(0, this.#clearing.count(index)) * measured.factor;
    return { ...measured, tokens: Math.max(0, Math.round(measured.tokens - cleared)) };
  }

  calibrate(estimated: number, reported: number, model: string): void {
    // Estimated before the clearing and reported after it: not comparable.
    if (!this.#clearing.unreported) this.#estimates.calibrate(estimated, reported, model);
  }
}
