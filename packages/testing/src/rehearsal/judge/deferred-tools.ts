import { invalidRequest } from '../api-errors.ts';
import { walkMessages } from '../request/api-request.ts';
import { isDeferred, referencedTools } from '../request/split-tools.ts';
import type { JudgeRule } from './judge-rule.ts';

/** Some tool is not deferred, none that is carries a breakpoint, and references name declared tools. */
export const deferredTools: JudgeRule = {
  name: 'deferred-tools',
  check(request) {
    const { tools } = request;
    if (tools.length > 0 && tools.every(isDeferred))
      return invalidRequest('tools: At least one tool must have defer_loading=false.');
    for (const [at, tool] of tools.entries()) {
      if (isDeferred(tool) && tool['cache_control'] != null)
        return invalidRequest(`tools.${at}: Tools with defer_loading cannot use cache_control`);
    }
    for (const { block, path, nested } of walkMessages(request)) {
      if (nested) continue;
      const names = referencedTools(block);
      const gone = names.find((name) => !tools.some((tool) => tool.name === name));
      if (gone !== undefined)
        return invalidRequest(`${path}: Tool reference '${gone}' not found in available tools`);
      const content = block['content'];
      if (block.type === 'tool_result' && Array.isArray(content) && names.length > 0) {
        if (names.length < content.length)
          return invalidRequest(`${path}: tool_reference blocks cannot be mixed with other content`);
      }
    }
    return undefined;
  },
};
