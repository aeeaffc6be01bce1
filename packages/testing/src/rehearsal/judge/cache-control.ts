import { isRecord } from '@turnwright/base/json-values.ts';
import { invalidRequest } from '../api-errors.ts';
import { cacheMarks } from './cache-marks.ts';
import type { JudgeRule } from './judge-rule.ts';

export const cacheControl: JudgeRule = {
  name: 'cache-control',
  check(request) {
    for (const { path, value } of cacheMarks(request)) {
      if (!isRecord(value)) return invalidRequest(`${path}: Input should be an object`);
      if (value['type'] !== 'ephemeral') return invalidRequest(`${path}.type: Input should be 'ephemeral'`);
      const ttl = value['ttl'];
      if (ttl !== undefined && ttl !== '5m' && ttl !== '1h') {
        return invalidRequest(`${path}.ttl: Input should be '5m' or '1h'`);
      }
      const extra = Object.keys(value).find((field) => field !== 'type' && field !== 'ttl');
      if (extra !== undefined) return invalidRequest(`${path}.${extra}: Extra inputs are not permitted`);
    }
    return undefined;
  },
};
