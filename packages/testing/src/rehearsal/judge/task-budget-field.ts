import { isRecord } from '@turnwright/base/json-values.ts';
import { invalidRequest } from '../api-errors.ts';
import type { JudgeRule } from './judge-rule.ts';

export const taskBudget: JudgeRule = {
  name: 'task-budget',
  check({ body }) {
    const path = 'output_config.task_budget';
    const budget = isRecord(body['output_config']) ? body['output_config']['task_budget'] : undefined;
    if (budget === undefined || budget === null) return undefined;
    if (!isRecord(budget)) return invalidRequest(`${path}: Input should be an object`);
    if (budget['type'] !== 'tokens') return invalidRequest(`${path}.type: Input should be 'tokens'`);
    const { total, remaining } = budget;
    if (!isCount(total)) return invalidRequest(`${path}.total: Input should be a valid integer`);
    if (remaining !== undefined && remaining !== null && !isCount(remaining)) {
      return invalidRequest(`${path}.remaining: Input should be greater than or equal to 0`);
    }
    return undefined;
  },
};

function isCount(value: unknown): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0;
}
