import { invalidRequest } from '../api-error.ts';
import type { Rule } from './rule.ts';

export const firstMessageUser: Rule = {
  name: 'first-message-user',
  check({ turns }) {
    const first = turns.find((turn) => turn.role !== 'system');
    if (first === undefined || first.role === 'user') return undefined;
    return invalidRequest('messages: first message must use the "user" role');
  },
};
