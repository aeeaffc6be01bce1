import { invalidRequest } from '../api-errors.ts';
import type { JudgeRule } from './judge-rule.ts';

/** Text of a message that is white space alone; inside a tool result it is allowed. */
export const blankText: JudgeRule = {
  name: 'blank-text',
  check({ turns }) {
    for (const turn of turns) {
      for (const block of turn.blocks) {
        if (block.type !== 'text') continue;
        const text = block['text'];
        if (typeof text === 'string' && text !== '' && text.trim() === '') {
          return invalidRequest('messages: text content blocks must contain non-whitespace text');
        }
      }
    }
    return undefined;
  },
};
