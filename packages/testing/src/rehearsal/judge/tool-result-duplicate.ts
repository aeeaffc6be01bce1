import { invalidRequest } from '../api-errors.ts';
import type { JudgeRule } from './judge-rule.ts';

export const toolResultDuplicate: JudgeRule = {
  name: 'tool-result-duplicate',
  check({ merged }) {
    for (const turn of merged) {
      const seen = new Set<unknown>();
      for (const { block, message, at } of turn.blocks) {
        if (block.type !== 'tool_result') continue;
        const id = block['tool_use_id'];
        if (seen.has(id)) {
          return invalidRequest(
            `messages.${message}.content.${at}: each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${String(id)}`,
          );
        }
        seen.add(id);
      }
    }
    return undefined;
  },
};
