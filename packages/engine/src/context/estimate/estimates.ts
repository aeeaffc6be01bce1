/**
 * The estimates of one session: raw figures of `token-estimate.ts`, multiplied by the factor learned for each
 * model.
 */
import type { ContextPort, EstimatedRequest, RequestEstimate } from '../../protocol/model/context.ts';
import type { ViewMessage } from '../../protocol/model/messages.ts';
import type { View } from '../../protocol/model/view.ts';
import { createCalibration } from './calibration.ts';
import { estimateHead, estimateView } from './request-estimate.ts';
import { estimateTokens } from './token-estimate.ts';

export type Estimates = Required<Pick<ContextPort, 'estimate' | 'measure' | 'calibrate' | 'counted'>>;

export function createEstimates(): Estimates {
  return new RawEstimates();
}

class RawEstimates implements Estimates {
  readonly #calibration = createCalibration();
  #counted: { readonly view: View; readonly tokens: number } | undefined;

  estimate(messages: readonly ViewMessage[], model?: string): number {
    const raw = estimateTokens(messages);
    return model === undefined ? raw : Math.ceil(raw * this.#calibration.factor(model));
  }

  measure(request: EstimatedRequest): RequestEstimate {
    const factor = this.#calibration.factor(request.model);
    const head = estimateHead(request);
    const leastCounted = this.#calibration.least(request.model);
    // Messages may be denser than the fixed part: the factor must not raise the latter above what was
    // reported.
    const overhead = Math.min(head * factor, Math.max(head, leastCounted ?? Number.POSITIVE_INFINITY));
    const counted = this.#counted;
    if (counted !== undefined && counted.view.root === request.view.root)
      estimateView.begin(counted.view, Math.max(0, counted.tokens - head));
    this.#counted = undefined;
    return {
      tokens: Math.ceil(overhead + estimateView(request.view) * factor),
      overheadTokens: Math.ceil(overhead),
      factor,
      leastCounted,
    };
  }

  counted(view: View, tokens: number): void {
    this.#counted = { view, tokens };
  }

  calibrate(estimated: number, reported: number, model: string): void {
    this.#calibration.report(estimated / this.#calibration.factor(model), reported, model);
  }
}
