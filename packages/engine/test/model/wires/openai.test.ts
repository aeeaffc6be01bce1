/** Chat completions and responses, over our own HTTP. */

import { inForm } from '@turnwright/test/long-form.ts';
import { WIRES } from '@turnwright/test/model/wires/open-wires.ts';
import { TRAITS } from '@turnwright/test/model/wires/traits.ts';
import { modelClientChecks } from '@turnwright/testing';
import { describe, it } from 'vitest';

describe.each([
  ['OpenAI chat completions', 0],
  ['OpenAI responses', 1],
] as const)('%s', (name, odd) => {
  // In the short form each check runs on one of the two.
  const checks = modelClientChecks(WIRES[name], TRAITS[name]).filter((_, at) => inForm(at % 2 === odd, true));
  for (const check of checks) it(check.name, check.run);
});
