/** What follows for everyone else from the API's clearing: estimates leave it out, and a compaction asks for it too. */
import type { ModelRequest } from '../protocol/model.ts';
import type { View } from '../protocol/view.ts';
import type { ApiClearing } from './api-clearing.ts';
import type { Estimates } from './estimates.ts';
import type { ResultIndex } from './result-index.ts';

/** A compaction reads the same conversation as the main request, so that it finds the same prompt cached, and fits. */
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
  { estimate, measure, calibrate, counted }: Estimates,
  clearing: ApiClearing,
  indexOf: (view: View) => ResultIndex,
): Estimates {
  return {
    counted,
    estimate: (messages, model) => estimate(clearing.asCounted(messages), model),
    measure(request) {
      const measured = measure(request);
      const index = indexOf(request.view);
      const cleared = index.savings(0, clearing.count(index)) * measured.factor;
      return { ...measured, tokens: Math.max(0, Math.round(measured.tokens - cleared)) };
    },
    calibrate(estimated, reported, model) {
      // Estimated before the API was asked to clear, reported after: their ratio says nothing.
      if (!clearing.unreported) calibrate(estimated, reported, model);
    },
  };
}
