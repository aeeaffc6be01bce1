import { isRecord } from '@turnwright/base/json-values.ts';
import { invalidRequest } from '../api-errors.ts';
import type { JudgeRule } from './judge-rule.ts';

export const thinkingSampling: JudgeRule = {
  name: 'thinking-sampling',
  check({ body }) {
    const thinking = body['thinking'];
    if (!isRecord(thinking) || thinking['type'] === 'disabled') return undefined;
    if (body['temperature'] !== undefined && body['temperature'] !== 1) {
      return invalidRequest('`temperature` may only be set to 1 when thinking is enabled.');
    }
    if (body['top_k'] !== undefined) return invalidRequest('`top_k` must be unset when thinking is enabled.');
    return undefined;
  },
};
