/** The clock of the conversation: the only source of time, so that tests decide it. */
import type { Clock } from '@turnwright/engine';

export type ConversationClock = Clock;

export const REAL_CLOCK: ConversationClock = {
  monotonicMs: () => performance.now(),
  nowMs: () => Date.now(),
  timer(ms, callback) {
    const timer = setTimeout(callback, ms);
    timer.unref();
    return () => clearTimeout(timer);
  },
  sleep: (ms, signal) =>
    new Promise((resolve, reject) => {
      signal?.throwIfAborted();
      const timer = setTimeout(resolve, ms);
      const onAbort = () => {
        clearTimeout(timer);
        reject(signal?.reason as Error);
      };
      signal?.addEventListener('abort', onAbort, { once: true });
    }),
};
