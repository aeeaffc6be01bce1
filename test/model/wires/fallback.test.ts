/** What another model takes over for, over each wire: the checks that the samples of the wires leave to chance. */
import { describe, it } from 'vitest';
import { modelClientChecks } from '../../../src/testing/index.ts';
import { WIRES } from './open-wires.ts';
import { TRAITS } from './traits.ts';

describe.each(Object.keys(WIRES) as (keyof typeof WIRES)[])('%s', (name) => {
  for (const check of modelClientChecks(WIRES[name], TRAITS[name]))
    if (/where another model waits|refusal/.test(check.name)) it(check.name, check.run);
});
