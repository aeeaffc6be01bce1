/**
 * What the estimates of a run rest on that does not follow from its own records: the size of the view that it
 * began with, and the factors that were learned before it.
 */

import type { Writable } from '@turnwright/base/collections/writable.ts';
import { createCalibration } from '../../context/estimate/calibration.ts';
import { estimateView } from '../../context/estimate/request-estimate.ts';
import type { ContextPort, EstimatedRequest, RequestEstimate } from '../../protocol/model/context.ts';
import type { ToldSize } from '../../protocol/session/told.ts';

/** The port, which tells of each estimate that a replay would not come to. */
export function tellSizes(
  context: ContextPort,
  tell: (size: ToldSize | undefined, request: EstimatedRequest) => void,
): ContextPort {
  if (context.measure === undefined) return context;
  const sizes = new Sizes();
  const telling: Writable<ContextPort> = {
    steps: context.steps,
    get recovery() {
      return context.recovery;
    },
    limitsFor: (model) => context.limitsFor(model),
    estimate: (messages, model) => context.estimate(messages, model),
    learnFrom: (failure, model) => context.learnFrom?.(failure, model),
    appliedEdits: (applied) => context.appliedEdits?.(applied),
    measure(request) {
      const estimate = context.measure?.(request) as RequestEstimate;
      tell(sizes.measured(request, estimate), request);
      return estimate;
    },
    calibrate(estimated, reported, model) {
      sizes.reported(estimated, reported, model);
      context.calibrate?.(estimated, reported, model);
    },
  };
  const { keepResult } = context;
  if (keepResult !== undefined) telling.keepResult = (message, name) => keepResult(message, name);
  return telling;
}

/** What a replay knows of the sizes at the same place. */
class Sizes {
  readonly #calibration = createCalibration();
  /** The view's size rests on a count of the provider, which only this process knows. */
  #isCounted = false;

  measured(
    { model, view }: EstimatedRequest,
    { tokens, overheadTokens, factor, leastCounted }: RequestEstimate,
  ): ToldSize | undefined {
    const size: Writable<ToldSize> = {};
    const messages = estimateView(view);
    const isCounted = estimateView.isSet(view);
    if (isCounted !== this.#isCounted) size.view = messages;
    this.#isCounted = isCounted;
    const known = this.#calibration;
    if (factor !== known.factor(model) || leastCounted !== known.least(model)) {
      size.factor = factor;
      if (leastCounted !== undefined) size.least = leastCounted;
      known.set(model, factor, leastCounted);
    }
    // Results that the provider has cleared count no more.
    if (Math.abs(tokens - overheadTokens - messages * factor) > 1) size.tokens = tokens;
    for (const _ in size) return size;
    return undefined;
  }

  reported(estimated: number, reported: number, model: string): void {
    this.#calibration.report(estimated / this.#calibration.factor(model), reported, model);
  }
}
