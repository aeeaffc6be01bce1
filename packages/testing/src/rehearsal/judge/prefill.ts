import { isRecord } from '@turnwright/base/json-values.ts';
import { invalidRequest } from '../api-errors.ts';
import type { JudgeRule } from './judge-rule.ts';

/**
 * A final assistant message: older models continue it, unless thinking is on. A paused turn may always be
 * sent back.
 */
export const prefill: JudgeRule = {
  name: 'prefill',
  check({ turns, body }, { model }) {
    const last = turns.findLast((turn) => turn.role !== 'system');
    if (last?.role !== 'assistant' || last.blocks.some((block) => block.type === 'server_tool_use'))
      return undefined;
    const thinking = body['thinking'];
    const thinks = isRecord(thinking) && thinking['type'] !== 'disabled';
    if (model?.prefill !== false && !thinks) return undefined;
    return invalidRequest(
      'This model does not support assistant message prefill. The conversation must end with a user message.',
    );
  },
};
