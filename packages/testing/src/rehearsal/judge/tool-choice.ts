import { isRecord } from '@turnwright/base/json-values.ts';
import { invalidRequest } from '../api-errors.ts';
import type { JudgeRule } from './judge-rule.ts';

export const toolChoice: JudgeRule = {
  name: 'tool-choice',
  check({ body, tools }) {
    const choice = body['tool_choice'];
    if (!isRecord(choice)) return undefined;
    const type = choice['type'];
    if (type !== 'auto' && type !== 'any' && type !== 'tool' && type !== 'none') {
      return invalidRequest(
        `tool_choice: Input tag '${String(type)}' found using 'type' does not match any of the expected tags: 'auto', 'any', 'tool', 'none'`,
      );
    }
    if (tools.length === 0 && type !== 'none') {
      return invalidRequest('tool_choice: may only be specified while providing tools');
    }
    if (type === 'tool' && !tools.some((tool) => tool.name === choice['name'])) {
      return invalidRequest(`tool_choice: Tool '${String(choice['name'])}' not found in provided tools`);
    }
    const thinking = body['thinking'];
    const thinks = isRecord(thinking) && thinking['type'] !== 'disabled';
    if (thinks && (type === 'any' || type === 'tool')) {
      return invalidRequest('Thinking may not be enabled when tool_choice forces tool use.');
    }
    return undefined;
  },
};
