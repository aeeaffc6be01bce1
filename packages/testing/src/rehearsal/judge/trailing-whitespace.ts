import { invalidRequest } from '../api-errors.ts';
import type { JudgeRule } from './judge-rule.ts';

export const trailingWhitespace: JudgeRule = {
  name: 'trailing-whitespace',
  check({ turns }) {
    const last = turns.at(-1);
    const block = last?.role === 'assistant' ? last.blocks.at(-1) : undefined;
    if (block?.type !== 'text' || typeof block['text'] !== 'string') return undefined;
    if (block['text'] === block['text'].trimEnd()) return undefined;
    return invalidRequest('messages: final assistant content cannot end with trailing whitespace');
  },
};
