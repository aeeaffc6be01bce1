import { invalidRequest } from '../api-errors.ts';
import type { JudgeRule } from './judge-rule.ts';

export const apiVersion: JudgeRule = {
  name: 'api-version',
  check(_request, { headers }) {
    const version = headers['anthropic-version'];
    if (version === undefined || version === '')
      return invalidRequest('anthropic-version: header is required');
    if (version !== '2023-06-01' && version !== '2023-01-01') {
      return invalidRequest(`anthropic-version: "${String(version)}" is not a valid version`);
    }
    return undefined;
  },
};
