/** In each test file, before anything of the program is loaded: which mutant is active, or which ones are reached. */
import { appendFileSync } from 'node:fs';
import { afterAll, expect } from 'vitest';

const { MUTANT, MUTANT_REACHED } = process.env;
if (MUTANT_REACHED === undefined) {
  // Without a mutant none is active: `Number('')` is 0, which is the first one.
  const active = MUTANT === '' ? undefined : Number(MUTANT);
  globalThis.__mutant = (id) => id === active;
} else {
  const reached = new Set();
  const startMs = performance.now();
  globalThis.__mutant = (id) => {
    reached.add(id);
    return false;
  };
  afterAll(() => {
    const file = expect.getState().testPath;
    const line = { file, ms: Math.round(performance.now() - startMs), reached: [...reached] };
    appendFileSync(MUTANT_REACHED, `${JSON.stringify(line)}\n`);
  });
}
