import { isRecord } from '@turnwright/base/json-values.ts';
import { invalidRequest } from '../api-errors.ts';
import type { ApiTurn } from '../request/api-request.ts';
import type { JudgeRule } from './judge-rule.ts';

const DIRECTIVE_ONLY = 'the directive-only form (content: [] with output_config) is accepted at any position';

/**
 * `role: "system"` inside `messages`: on models that support it, after a user turn, before an assistant's or
 * at the end.
 */
export const systemMessages: JudgeRule = {
  name: 'system-messages',
  check({ turns, body }, { model }) {
    if (!turns.some((turn) => turn.role === 'system')) return undefined;
    if (model?.systemMessages === false)
      return invalidRequest("role 'system' is not supported on this model");
    const messages = Array.isArray(body['messages']) ? body['messages'] : [];
    const isDirective = (turn: ApiTurn) => {
      const message: unknown = messages[turn.index];
      return isRecord(message) && turn.blocks.length === 0 && isRecord(message['output_config']);
    };
    let before: ApiTurn | undefined;
    for (const [at, turn] of turns.entries()) {
      if (turn.role !== 'system') {
        before = turn;
        continue;
      }
      if (isDirective(turn)) continue;
      const path = `messages.${turn.index}`;
      if (turn.blocks.length === 0)
        return invalidRequest(`${path}: system content must contain at least one block`);
      if (before === undefined) {
        return invalidRequest(
          `${path}: use the top-level 'system' parameter for the initial system prompt; ${DIRECTIVE_ONLY}`,
        );
      }
      if (before.role !== 'user' && before.blocks.at(-1)?.type !== 'server_tool_use') {
        return invalidRequest(`${path}: role 'system' must follow a 'user' message; ${DIRECTIVE_ONLY}`);
      }
      const after = turns.slice(at + 1).find((next) => next.role !== 'system');
      if (after !== undefined && after.role !== 'assistant') {
        return invalidRequest(
          `${path}: role 'system' must precede an 'assistant' message or end the array; ${DIRECTIVE_ONLY}`,
        );
      }
    }
    return undefined;
  },
};
