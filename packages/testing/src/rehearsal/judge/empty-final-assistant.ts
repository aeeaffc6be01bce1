import { invalidRequest } from '../api-errors.ts';
import type { JudgeRule } from './judge-rule.ts';

/** The real API ignores an empty prefill where it supports prefills; it is always a mistake. */
export const emptyFinalAssistant: JudgeRule = {
  name: 'empty-final-assistant',
  house: true,
  check({ turns }) {
    const last = turns.at(-1);
    if (last?.role !== 'assistant' || last.blocks.length > 0) return undefined;
    return invalidRequest(`messages.${last.index}: final assistant content must be non-empty`);
  },
};
