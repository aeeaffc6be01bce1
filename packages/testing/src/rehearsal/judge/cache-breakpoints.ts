import { invalidRequest } from '../api-errors.ts';
import { cacheMarks, hasAutomaticMark } from './cache-marks.ts';
import type { JudgeRule } from './judge-rule.ts';

const MAX_BREAKPOINTS = 4;

export const cacheBreakpoints: JudgeRule = {
  name: 'cache-breakpoints',
  check(request) {
    const found = cacheMarks(request).length + (hasAutomaticMark(request) ? 1 : 0);
    if (found <= MAX_BREAKPOINTS) return undefined;
    return invalidRequest(
      `A maximum of ${MAX_BREAKPOINTS} blocks with cache_control may be provided. Found ${found}.`,
    );
  },
};
