import { invalidRequest } from '../api-errors.ts';
import type { JudgeRule } from './judge-rule.ts';

export const jsonBody: JudgeRule = {
  name: 'json-body',
  check(_request, { jsonError }) {
    return jsonError === undefined
      ? undefined
      : invalidRequest(`The request body is not valid JSON: ${jsonError}`);
  },
};
