import { invalidRequest } from '../api-errors.ts';
import type { JudgeRule } from './judge-rule.ts';

export const outputOverWindow: JudgeRule = {
  name: 'output-over-window',
  check({ body }, { inputTokens, window, countOnly }) {
    const maxTokens = body['max_tokens'];
    if (countOnly || typeof maxTokens !== 'number' || inputTokens + maxTokens <= window) return undefined;
    return invalidRequest(
      `input length and \`max_tokens\` exceed context limit: ${inputTokens} + ${maxTokens} > ${window}, decrease input length or \`max_tokens\` and try again`,
    );
  },
};
