/** The Messages API: Anthropic's own, and a bare server that imitates it. */
import { describe, it } from 'vitest';
import { modelClientChecks } from '../../../src/testing/index.ts';
import { everyNth } from '../../long-form.ts';
import { WIRES } from './open-wires.ts';
import { TRAITS } from './traits.ts';

describe.each([
  ['Anthropic Messages API', 1],
  ['bare `/v1/messages` server', 3],
] as const)('%s', (name, n) => {
  for (const check of everyNth(n, modelClientChecks(WIRES[name], TRAITS[name]))) it(check.name, check.run);
});
