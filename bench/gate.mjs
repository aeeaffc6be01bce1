// The gate against regressions: our figures as multiples of the hand-written loop's, in the same run and in short
// form. The limits are about twice what was measured when they were set, and the best of several tries counts, so that
// only a real loss fails. Figures that are not CPU time are left out: a busy machine makes them say nothing.

import { FLOOR, OURS } from './figures.mjs';
import { measure } from './measure.mjs';
import { workloads } from './workloads.mjs';

const TRIES = 4;
const all = workloads(true);

/** [workload, figure, at most this many times the floor's] */
const LIMITS = [
  ['W1', 'CPU per turn', 9],
  ['W3', 'makespan / ideal', 1.06],
  ['W6', 'CPU per delta', 9],
];
/** A tool input of four times the pieces may cost so many times the CPU: 4 is linear, 16 quadratic. */
const GROWTH_OF_INPUT = 6;

let failed = false;
for (const [name, figure, limit] of LIMITS) {
  await hold(`${name} ${figure}, multiple of the floor's`, limit, async () => {
    const floor = await figureOf(name, figure, FLOOR);
    return (await figureOf(name, figure, OURS)) / floor;
  });
}
await hold('W7b / W7c CPU', GROWTH_OF_INPUT, async () => {
  const few = await figureOf('W7c', 'CPU', OURS);
  return (await figureOf('W7b', 'CPU', OURS)) / few;
});
process.exit(failed ? 1 : 0);

async function figureOf(name, figure, runner) {
  const figures = await measure(name, all[name], runner, { timeoutMs: 30_000 });
  return figures.find(([each]) => each === figure)[2];
}

/** The best of as many tries as it takes to be within the limit. */
async function hold(what, limit, ratio) {
  let best = Number.POSITIVE_INFINITY;
  for (let i = 0; i < TRIES && best > limit; i++) best = Math.min(best, await ratio());
  const held = best <= limit;
  failed ||= !held;
  console.log(`${held ? 'ok' : 'TOO SLOW'}  ${what}: ${best.toFixed(2)}, at most ${limit}`);
}
