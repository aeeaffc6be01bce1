import { invalidRequest } from '../api-errors.ts';
import type { JudgeRule } from './judge-rule.ts';

export const promptSize: JudgeRule = {
  name: 'prompt-too-long',
  check(_request, { inputTokens, window, countOnly }) {
    if (countOnly || inputTokens <= window) return undefined;
    return invalidRequest(`prompt is too long: ${inputTokens} tokens > ${window} maximum`);
  },
};
