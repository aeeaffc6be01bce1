import type { JudgeRule } from './judge-rule.ts';

const MAX_BYTES = 32 * 1024 * 1024;

export const requestSize: JudgeRule = {
  name: 'request-size',
  check(_request, { bytes }) {
    if (bytes <= MAX_BYTES) return undefined;
    return { status: 413, type: 'request_too_large', message: 'Request exceeds the maximum size' };
  },
};
