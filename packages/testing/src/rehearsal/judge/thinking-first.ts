import { isRecord } from '@turnwright/base/json-values.ts';
import { invalidRequest } from '../api-errors.ts';
import type { MergedTurn } from '../request/api-request.ts';
import type { JudgeRule } from './judge-rule.ts';

/**
 * With a thinking budget, on a model without adaptive thinking, the turn whose tools are being answered must
 * begin with its thinking. A reply without thinking (a script may omit it) needs none.
 */
export const thinkingFirst: JudgeRule = {
  name: 'thinking-first',
  check({ body, merged }, { model, thoughtCalls }) {
    const thinking = body['thinking'];
    if (!isRecord(thinking) || thinking['type'] !== 'enabled' || model?.adaptiveThinking !== false)
      return undefined;
    const opening = openingOfToolLoop(merged);
    const first = opening?.blocks[0];
    if (opening === undefined || first === undefined) return undefined;
    const type = first.block.type;
    if (type === 'thinking' || type === 'redacted_thinking') return undefined;
    const thought = opening.blocks.some(
      ({ block }) => block.type === 'tool_use' && thoughtCalls.has(String(block['id'])),
    );
    if (!thought) return undefined;
    return invalidRequest(
      `messages.${first.message}.content.${first.at}.type: Expected \`thinking\` or \`redacted_thinking\`, but found \`${type}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks). We recommend you include thinking blocks from previous turns. To avoid this requirement, disable \`thinking\`.`,
    );
  },
};

/** The first assistant turn of the sequence of calls and results that ends the conversation. */
function openingOfToolLoop(merged: readonly MergedTurn[]): MergedTurn | undefined {
  let opening: MergedTurn | undefined;
  for (let at = merged.length - 1; at > 0; at -= 2) {
    const results = merged[at];
    if (!results?.blocks.every(({ block }) => block.type === 'tool_result')) break;
    opening = merged[at - 1];
  }
  return opening;
}
