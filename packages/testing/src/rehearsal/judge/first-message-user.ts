import { invalidRequest } from '../api-errors.ts';
import type { JudgeRule } from './judge-rule.ts';

export const firstMessageUser: JudgeRule = {
  name: 'first-message-user',
  check({ turns }) {
    const first = turns.find((turn) => turn.role !== 'system');
    if (first === undefined || first.role === 'user') return undefined;
    return invalidRequest('messages: first message must use the "user" role');
  },
};
