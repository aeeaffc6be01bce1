import { invalidRequest } from '../api-errors.ts';
import { type JudgeRule, unanswered } from './judge-rule.ts';

/** Results precede everything else in their turn; the API uses the error text for missing ones. */
export const toolResultFirst: JudgeRule = {
  name: 'tool-result-first',
  check({ merged }) {
    for (const [at, turn] of merged.entries()) {
      if (turn.role !== 'user') continue;
      const firstOther = turn.blocks.findIndex(({ block }) => block.type !== 'tool_result');
      if (firstOther < 0) continue;
      const late = turn.blocks.slice(firstOther).filter(({ block }) => block.type === 'tool_result');
      if (late.length === 0) continue;
      const asking = merged[at - 1]?.blocks.find(({ block }) => block.type === 'tool_use');
      return invalidRequest(
        unanswered(
          asking?.message ?? at,
          late.map(({ block }) => block['tool_use_id']),
        ),
      );
    }
    return undefined;
  },
};
