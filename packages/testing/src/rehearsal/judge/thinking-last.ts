import { invalidRequest } from '../api-errors.ts';
import type { JudgeRule } from './judge-rule.ts';

export const thinkingLast: JudgeRule = {
  name: 'thinking-last',
  check({ merged }) {
    for (const turn of merged) {
      const last = turn.role === 'assistant' ? turn.blocks.at(-1) : undefined;
      const type = last?.block.type;
      if (last === undefined || (type !== 'thinking' && type !== 'redacted_thinking')) continue;
      return invalidRequest(
        `messages.${last.message}: The final block in an assistant message cannot be \`${type}\`.`,
      );
    }
    return undefined;
  },
};
