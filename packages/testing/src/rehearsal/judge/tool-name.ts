import { invalidRequest } from '../api-errors.ts';
import type { JudgeRule } from './judge-rule.ts';

const TOOL_NAME = /^[a-zA-Z0-9_-]{1,128}$/;
/** In history, names have the same alphabet and may be longer. */
const CALLED_NAME = /^[a-zA-Z0-9_-]{1,200}$/;

export const toolName: JudgeRule = {
  name: 'tool-name',
  check({ tools, turns }) {
    for (const [at, tool] of tools.entries()) {
      if (!TOOL_NAME.test(tool.name)) {
        return invalidRequest(`tools.${at}.custom.name: String should match pattern '${TOOL_NAME.source}'`);
      }
    }
    for (const turn of turns) {
      for (const [at, block] of turn.blocks.entries()) {
        if (block.type !== 'tool_use' || CALLED_NAME.test(String(block['name']))) continue;
        const path = `messages.${turn.index}.content.${at}.tool_use.name`;
        return invalidRequest(`${path}: String should match pattern '${CALLED_NAME.source}'`);
      }
    }
    return undefined;
  },
};
