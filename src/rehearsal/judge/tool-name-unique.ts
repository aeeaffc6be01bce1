import { invalidRequest } from '../api-error.ts';
import type { Rule } from './rule.ts';

export const toolNameUnique: Rule = {
  name: 'tool-name-unique',
  check({ tools }) {
    const names = new Set(tools.map((tool) => tool.name));
    return names.size === tools.length ? undefined : invalidRequest('tools: Tool names must be unique.');
  },
};
