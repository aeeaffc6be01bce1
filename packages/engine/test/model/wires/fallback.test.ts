/** What another model takes over for, over each wire: the checks that the samples of the wires leave to chance. */

import { WIRES } from '@turnwright/test/model/wires/open-wires.ts';
import { TRAITS } from '@turnwright/test/model/wires/traits.ts';
import { modelClientChecks } from '@turnwright/testing';
import { describe, it } from 'vitest';

describe.each(Object.keys(WIRES) as (keyof typeof WIRES)[])('%s', (name) => {
  for (const check of modelClientChecks(WIRES[name], TRAITS[name]))
    if (/where another model waits|refusal/.test(check.name)) it(check.name, check.run);
});
