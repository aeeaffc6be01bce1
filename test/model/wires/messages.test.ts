/** The Messages API: Anthropic's own, and a bare server that imitates it. */
import { describe, it } from 'vitest';
import { modelClientChecks } from '../../../src/testing/index.ts';
import { WIRES } from './open-wires.ts';
import { TRAITS } from './traits.ts';

describe.each(['Anthropic Messages API', 'bare `/v1/messages` server'] as const)('%s', (name) => {
  for (const check of modelClientChecks(WIRES[name], TRAITS[name])) it(check.name, check.run);
});
