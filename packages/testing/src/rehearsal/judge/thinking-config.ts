import { isRecord } from '@turnwright/base/json-values.ts';
import { invalidRequest } from '../api-errors.ts';
import type { JudgeRule } from './judge-rule.ts';

const MIN_BUDGET = 1024;

export const thinkingConfig: JudgeRule = {
  name: 'thinking-config',
  check({ body }, { model, countOnly }) {
    const thinking = body['thinking'];
    if (!isRecord(thinking)) return undefined;
    const type = thinking['type'];
    if (type === 'disabled') return undefined;
    if (type === 'adaptive') {
      return model?.adaptiveThinking === false
        ? invalidRequest('adaptive thinking is not supported on this model')
        : undefined;
    }
    if (type !== 'enabled') {
      return invalidRequest(
        `thinking: Input tag '${String(type)}' found using 'type' does not match any of the expected tags: 'disabled', 'enabled', 'adaptive'`,
      );
    }
    const budget = thinking['budget_tokens'];
    if (budget === undefined) return invalidRequest('thinking.enabled.budget_tokens: Field required');
    if (typeof budget !== 'number' || !Number.isInteger(budget)) {
      return invalidRequest('thinking.enabled.budget_tokens: Input should be a valid integer');
    }
    if (budget < MIN_BUDGET) {
      return invalidRequest(
        `thinking.enabled.budget_tokens: Input should be greater than or equal to ${MIN_BUDGET}`,
      );
    }
    const maxTokens = body['max_tokens'];
    if (!countOnly && typeof maxTokens === 'number' && maxTokens <= budget) {
      return invalidRequest('`max_tokens` must be greater than `thinking.budget_tokens`.');
    }
    return undefined;
  },
};
