import { invalidRequest } from '../api-errors.ts';
import type { JudgeRule } from './judge-rule.ts';

export const emptyContent: JudgeRule = {
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
