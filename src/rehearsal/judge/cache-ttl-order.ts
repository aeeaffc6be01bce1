import { invalidRequest } from '../api-error.ts';
import { isRecord } from '../request/api-request.ts';
import { cacheMarks } from './cache-marks.ts';
import type { Rule } from './rule.ts';

export const cacheTtlOrder: Rule = {
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
