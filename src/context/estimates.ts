/** The estimates of one session: raw figures of `token-estimate.ts`, times what usage taught about each model. */
import type { ContextPort } from '../protocol/context.ts';
import type { View } from '../protocol/view.ts';
import { createCalibration } from './calibration.ts';
import { estimateHead, estimateView } from './request-estimate.ts';
import { estimateTokens } from './token-estimate.ts';

export type Estimates = Required<Pick<ContextPort, 'estimate' | 'measure' | 'calibrate' | 'counted'>>;

export function createEstimates(): Estimates {
  const calibration = createCalibration();
  let counted: { readonly view: View; readonly tokens: number } | undefined;
  return {
    estimate(messages, model) {
      const raw = estimateTokens(messages);
      return model === undefined ? raw : Math.ceil(raw * calibration.factor(model));
    },
    measure(request) {
      const factor = calibration.factor(request.model);
      const head = estimateHead(request);
      if (counted !== undefined && counted.view.root === request.view.root)
        estimateView.begin(counted.view, Math.max(0, counted.tokens - head));
      counted = undefined;
      return {
        tokens: Math.ceil((head + estimateView(request.view)) * factor),
        overheadTokens: Math.ceil(head * factor),
        factor,
      };
    },
    counted(view, tokens) {
      counted = { view, tokens };
    },
    calibrate(estimated, reported, model) {
      calibration.report(estimated / calibration.factor(model), reported, model);
    },
  };
}
