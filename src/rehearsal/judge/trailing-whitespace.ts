import { invalidRequest } from '../api-error.ts';
import type { Rule } from './rule.ts';

export const trailingWhitespace: Rule = {
  name: 'trailing-whitespace',
  check({ turns }) {
    const last = turns.at(-1);
    const block = last?.role === 'assistant' ? last.blocks.at(-1) : undefined;
    if (block?.type !== 'text' || typeof block['text'] !== 'string') return undefined;
    if (block['text'] === block['text'].trimEnd()) return undefined;
    return invalidRequest('messages: final assistant content cannot end with trailing whitespace');
  },
};
