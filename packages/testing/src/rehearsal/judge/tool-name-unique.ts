import { invalidRequest } from '../api-errors.ts';
import type { JudgeRule } from './judge-rule.ts';

export const toolNameUnique: JudgeRule = {
  name: 'tool-name-unique',
  check({ tools }) {
    const names = new Set(tools.map((tool) => tool.name));
    return names.size === tools.length ? undefined : invalidRequest('tools: Tool names must be unique.');
  },
};
