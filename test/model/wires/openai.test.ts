/** Chat completions and responses, over our own HTTP. */
import { describe, it } from 'vitest';
import { modelClientChecks } from '../../../src/testing/index.ts';
import { WIRES } from './open-wires.ts';
import { TRAITS } from './traits.ts';

describe.each(['OpenAI chat completions', 'OpenAI responses'] as const)('%s', (name) => {
  for (const check of modelClientChecks(WIRES[name], TRAITS[name])) it(check.name, check.run);
});
