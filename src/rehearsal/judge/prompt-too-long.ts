import { invalidRequest } from '../api-error.ts';
import type { Rule } from './rule.ts';

export const promptTooLong: Rule = {
  name: 'prompt-too-long',
  check(_request, { inputTokens, window, countOnly }) {
    if (countOnly || inputTokens <= window) return undefined;
    return invalidRequest(`prompt is too long: ${inputTokens} tokens > ${window} maximum`);
  },
};
