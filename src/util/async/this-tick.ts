/**
 * Resolves at the end of this tick. Node writes a request to its socket there, after all promises that can
 * run; await this to have it written first.
 */
export const thisTick = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve));

/** Resolves at the end of this turn of the event loop: what its sockets had at hand has been read by then. */
export const thisTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
