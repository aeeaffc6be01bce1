import { invalidRequest } from '../api-errors.ts';
import type { JudgeRule } from './judge-rule.ts';

const TOOL_USE_ID = /^[a-zA-Z0-9_-]+$/;

export const toolUseId: JudgeRule = {
  name: 'tool-use-id',
  check({ turns }) {
    const seen = new Set<string>();
    for (const turn of turns) {
      for (const [at, block] of turn.blocks.entries()) {
        if (block.type !== 'tool_use') continue;
        const id = String(block['id']);
        const path = `messages.${turn.index}.content.${at}`;
        if (!TOOL_USE_ID.test(id)) {
          return invalidRequest(`${path}.tool_use.id: String should match pattern '${TOOL_USE_ID.source}'`);
        }
        if (seen.has(id)) return invalidRequest(`${path}: \`tool_use\` ids must be unique`);
        seen.add(id);
      }
    }
    return undefined;
  },
};
