import { invalidRequest } from '../api-errors.ts';
import type { JudgeRule } from './judge-rule.ts';

export const maxTokens: JudgeRule = {
  name: 'max-tokens',
  check({ body, model: id }, { model, countOnly }) {
    if (countOnly) return undefined;
    const asked = body['max_tokens'];
    if (asked === undefined) return invalidRequest('max_tokens: Field required');
    if (typeof asked !== 'number' || !Number.isInteger(asked)) {
      return invalidRequest('max_tokens: Input should be a valid integer');
    }
    if (asked < 1) return invalidRequest('max_tokens: must be greater than or equal to 1');
    if (model === undefined || asked <= model.maxOutput) return undefined;
    return invalidRequest(
      `max_tokens: ${asked} > ${model.maxOutput}, which is the maximum allowed number of output tokens for ${id}`,
    );
  },
};
