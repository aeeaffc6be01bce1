// Reproducible random numbers: one seed gives one run.

/** Returns numbers in [0, 1). Mulberry32. */
export function randomOf(seed) {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** Exponentially distributed with this mean: a duration that has no memory. */
export const exponential = (random, mean) => -Math.log(1 - random()) * mean;
