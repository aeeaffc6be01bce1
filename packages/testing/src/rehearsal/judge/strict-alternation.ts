import { invalidRequest } from '../api-errors.ts';
import type { JudgeRule } from './judge-rule.ts';

/** The real API merges consecutive messages of one role; this engine must not send them (L3). */
export const strictAlternation: JudgeRule = {
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
