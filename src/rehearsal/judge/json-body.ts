import { invalidRequest } from '../api-error.ts';
import type { Rule } from './rule.ts';

export const jsonBody: Rule = {
  name: 'json-body',
  check(_request, { jsonError }) {
    return jsonError === undefined
      ? undefined
      : invalidRequest(`The request body is not valid JSON: ${jsonError}`);
  },
};
