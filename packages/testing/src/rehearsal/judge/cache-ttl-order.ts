import { isRecord } from '@turnwright/base/json-values.ts';
import { invalidRequest } from '../api-errors.ts';
import { cacheMarks } from './cache-marks.ts';
import type { JudgeRule } from './judge-rule.ts';

export const cacheTtlOrder: JudgeRule = {
  name: 'cache-ttl-order',
  check(request) {
    let short = false;
    for (const { path, value } of cacheMarks(request)) {
      const long = isRecord(value) && value['ttl'] === '1h';
      if (long && short) {
        return invalidRequest(
          `${path}.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: \`tools\`, \`system\`, \`messages\`.`,
        );
      }
      short ||= !long;
    }
    return undefined;
  },
};
