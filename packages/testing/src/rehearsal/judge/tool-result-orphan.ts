import { invalidRequest } from '../api-errors.ts';
import { listBlockIds } from '../request/api-request.ts';
import type { JudgeRule } from './judge-rule.ts';

export const toolResultOrphan: JudgeRule = {
  name: 'tool-result-orphan',
  check({ merged }) {
    for (const [at, turn] of merged.entries()) {
      if (turn.role !== 'user') continue;
      const before = merged[at - 1];
      const asked = before === undefined ? new Set() : listBlockIds(before, 'tool_use', 'id');
      for (const { block, message, at: place } of turn.blocks) {
        if (block.type !== 'tool_result' || asked.has(block['tool_use_id'])) continue;
        return invalidRequest(
          `messages.${message}.content.${place}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${String(block['tool_use_id'])}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
        );
      }
    }
    return undefined;
  },
};
