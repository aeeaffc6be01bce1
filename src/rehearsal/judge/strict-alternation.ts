import { invalidRequest } from '../api-error.ts';
import type { Rule } from './rule.ts';

/** The real API merges consecutive messages of one role; this engine must not send them (L3). */
export const strictAlternation: Rule = {
  name: 'strict-alternation',
  house: true,
  check({ turns }) {
    let previous: string | undefined;
    for (const { role } of turns) {
      if (role === 'system') continue;
      if (role === previous) {
        return invalidRequest(
          `messages: roles must alternate between "user" and "assistant", but found multiple "${role}" roles in a row`,
        );
      }
      previous = role;
    }
    return undefined;
  },
};
