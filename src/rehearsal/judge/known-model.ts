import { notFound } from '../api-error.ts';
import type { Rule } from './rule.ts';

export const knownModel: Rule = {
  name: 'known-model',
  check({ model: id }, { model }) {
    return model === undefined ? notFound(`model: ${id}`) : undefined;
  },
};
