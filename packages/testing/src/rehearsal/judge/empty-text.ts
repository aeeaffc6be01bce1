import { invalidRequest } from '../api-errors.ts';
import { walkMessages } from '../request/api-request.ts';
import type { JudgeRule } from './judge-rule.ts';

export const emptyText: JudgeRule = {
  name: 'empty-text',
  check(request) {
    for (const block of request.system) {
      if (block['text'] === '') return invalidRequest('system: text content blocks must be non-empty');
    }
    for (const { block, path } of walkMessages(request)) {
      if (block.type !== 'text' || block['text'] !== '') continue;
      if (block['cache_control'] !== undefined) {
        return invalidRequest(`${path}.text: cache_control cannot be set for empty text blocks`);
      }
      return invalidRequest('messages: text content blocks must be non-empty');
    }
    return undefined;
  },
};
