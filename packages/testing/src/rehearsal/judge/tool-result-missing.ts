import { invalidRequest } from '../api-errors.ts';
import { listBlockIds } from '../request/api-request.ts';
import { type JudgeRule, unanswered } from './judge-rule.ts';

export const toolResultMissing: JudgeRule = {
  name: 'tool-result-missing',
  check({ merged }) {
    for (const [at, turn] of merged.entries()) {
      if (turn.role !== 'assistant') continue;
      const calls = turn.blocks.filter(({ block }) => block.type === 'tool_use');
      if (calls.length === 0) continue;
      const next = merged[at + 1];
      const answered = next === undefined ? new Set() : listBlockIds(next, 'tool_result', 'tool_use_id');
      const open = calls.filter(({ block }) => !answered.has(block['id']));
      const first = open[0];
      if (first !== undefined)
        return invalidRequest(
          unanswered(
            first.message,
            open.map(({ block }) => block['id']),
          ),
        );
    }
    return undefined;
  },
};
