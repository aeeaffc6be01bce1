import { notFound } from '../api-errors.ts';
import type { JudgeRule } from './judge-rule.ts';

export const knownModel: JudgeRule = {
  name: 'known-model',
  check({ model: id }, { model }) {
    return model === undefined ? notFound(`model: ${id}`) : undefined;
  },
};
