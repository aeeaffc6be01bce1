/** The Messages API: Anthropic's own, and a bare server that imitates it. */

import { everyNth } from '@turnwright/test/long-form.ts';
import { WIRES } from '@turnwright/test/model/wires/open-wires.ts';
import { TRAITS } from '@turnwright/test/model/wires/traits.ts';
import { modelClientChecks } from '@turnwright/testing';
import { describe, it } from 'vitest';

describe.each([
  ['Anthropic Messages API', 1],
  ['bare `/v1/messages` server', 3],
] as const)('%s', (name, n) => {
  for (const check of everyNth(n, modelClientChecks(WIRES[name], TRAITS[name]))) it(check.name, check.run);
});
