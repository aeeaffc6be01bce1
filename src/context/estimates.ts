/** The estimates of one session: raw figures of `token-estimate.ts`, times what usage taught about each model. */
import type { ContextPort } from '../protocol/context.ts';
import { createCalibration } from './calibration.ts';
import { estimateHead, estimateView } from './request-estimate.ts';
import { estimateTokens } from './token-estimate.ts';

export type Estimates = Required<Pick<ContextPort, 'estimate' | 'measure' | 'calibrate'>>;

export function createEstimates(): Estimates {
  const calibration = createCalibration();
  return {
    estimate(messages, model) {
      const raw = estimateTokens(messages);
      return model === undefined ? raw : Math.ceil(raw * calibration.factor(model));
    },
    measure(request) {
      const factor = calibration.factor(request.model);
      const head = estimateHead(request);
      return {
        tokens: Math.ceil((head + estimateView(request.view)) * factor),
        overheadTokens: Math.ceil(head * factor),
        factor,
      };
    },
    calibrate(estimated, reported, model) {
      calibration.report(estimated / calibration.factor(model), reported, model);
    },
  };
}
