/**
 * Resolves once what was put off until the end of this tick has been done. Node writes a request to its socket there,
 * and not before every promise has run that can: who would rather have it written first waits for this.
 */
export const thisTick = (): Promise<void> => new Promise((resolve) => process.nextTick(resolve));
