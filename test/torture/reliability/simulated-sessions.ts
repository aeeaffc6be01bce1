/** R8: sessions in which everything is drawn from a seed, each checked against the invariants of the loop. */
import { pathToFileURL } from 'node:url';
import { bundled } from '../bundled.ts';
import { row } from '../row.ts';
import type { simulate as Simulate } from '../simulation/simulate.ts';

/** Seeds that are run a second time: the same must happen. */
const REPEATED = 20;

row('R8', async ({ figures, size, seed, replay, corpus, keep }) => {
  const { file, remove } = await bundled('simulation/simulate.ts');
  const { simulate } = (await import(/* @vite-ignore */ pathToFileURL(file).href)) as {
    readonly simulate: typeof Simulate;
  };
  const violations: string[] = [];
  const different: string[] = [];
  const kept = replay ? [] : corpus<{ readonly seed: number }>();
  const count = replay ? 1 : size(30, 20_000);
  let requests = 0;
  let processes = 0;
  const run = async (one: number): Promise<() => string> => {
    const simulated = await simulate(one);
    requests += simulated.requests;
    processes += simulated.processes;
    for (const violation of simulated.violations) violations.push(`seed ${one}: ${violation}`);
    return simulated.digest;
  };
  try {
    for (const example of kept) await run(example.seed);
    let sessions = 0;
    for (let n = 0; n < count; n++, sessions++) {
      const found = violations.length;
      const digest = await run(seed + n);
      if (violations.length > found && !replay) keep({ seed: seed + n, violation: violations[found] });
      if (n < REPEATED && (await run(seed + n))() !== digest()) different.push(`seed ${seed + n}`);
    }
    figures.atLeast('simulated sessions', sessions, count);
    figures.atLeast('requests that they made', requests, replay ? 1 : count * 3);
    figures.atLeast('processes that they lived in', processes, count);
    figures.none('violated invariants', violations);
    figures.none('seeds that do not repeat their run', different);
  } finally {
    remove();
  }
});
