import { systemClock } from '../clock.ts';

/** Waits. false: the signal was aborted. */
export const sleepUnlessAborted = (ms: number, signal: AbortSignal): Promise<boolean> =>
  systemClock.sleep(ms, signal).then(
    () => true,
    () => false,
  );
