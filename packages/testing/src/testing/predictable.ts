/** Ids and random numbers that are the same in every run. */
import type { Ids, RandomPort } from '@turnwright/engine/protocol/ports.ts';

/** `00000000-0000-4000-8000-000000000001`, `…2`, … */
export function sequentialIds(start = 1): Ids {
  let next = start;
  return { uuid: () => `00000000-0000-4000-8000-${String(next++).padStart(12, '0')}` };
}

/** The same numbers in [0, 1) for the same seed (mulberry32). */
export function seededRandom(seed: number): RandomPort {
  let state = seed | 0;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
