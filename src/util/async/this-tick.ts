/**
 * Resolves at the end of this tick. Node writes a request to its socket there, after all promises that can
 * run; await this to have it written first.
 */
export const thisTick = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve));
