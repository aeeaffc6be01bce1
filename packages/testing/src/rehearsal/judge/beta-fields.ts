import { isRecord } from '@turnwright/base/json-values.ts';
import { invalidRequest } from '../api-errors.ts';
import type { JudgeRule } from './judge-rule.ts';

/** Fields that need a beta header: without it the API does not know them. */
export const betaFields: JudgeRule = {
  name: 'beta-fields',
  check({ body }, { betas }) {
    const missing = (prefix: string) => !betas.some((beta) => beta.startsWith(prefix));
    const refuse = (field: string) => invalidRequest(`${field}: Extra inputs are not permitted`);
    const outputConfig = isRecord(body['output_config']) ? body['output_config'] : {};
    if (isRecord(body['context_management']) && missing('context-management-'))
      return refuse('context_management');
    if (outputConfig['task_budget'] !== undefined && missing('task-budgets-'))
      return refuse('output_config.task_budget');
    if (body['speed'] !== undefined && body['speed'] !== null && missing('fast-mode-'))
      return refuse('speed');
    const messages = Array.isArray(body['messages']) ? body['messages'] : [];
    const told = messages.findIndex((message) => isRecord(message) && message['output_config'] !== undefined);
    if (told >= 0 && missing('mid-conversation-output-config-') && missing('per-turn-control-'))
      return refuse(`messages.${told}.output_config`);
    return undefined;
  },
};
