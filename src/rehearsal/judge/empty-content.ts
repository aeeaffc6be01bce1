import { invalidRequest } from '../api-error.ts';
import type { Rule } from './rule.ts';

export const emptyContent: Rule = {
  name: 'empty-content',
  check({ turns }) {
    for (const [at, turn] of turns.entries()) {
      if (turn.blocks.length > 0 || turn.role === 'system') continue;
      if (turn.role === 'assistant' && at === turns.length - 1) continue;
      return invalidRequest(
        `messages.${turn.index}: all messages must have non-empty content except for the optional final assistant message`,
      );
    }
    return undefined;
  },
};
