/** The real clock and randomness. Code that waits or stamps receives these as ports. */

/** Wall clock, monotonic clock and timers; a test replaces them. */
export interface Clock {
  /** Wall time, ms since 1970. */
  nowMs(): number;
  /** Time that never goes back, from a beginning of its own. */
  monotonicMs(): number;
  /** Resolves after `ms`, or rejects with the signal's reason. Large values do not overflow. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
  /** Calls back once after `ms`; returns a function that cancels it. Does not keep the process alive. */
  timer(ms: number, callback: () => void): () => void;
}

/** The longest delay of a Node timer; longer ones would fire immediately. */
export const MAX_TIMER_MS = 2 ** 31 - 1;

/** `performance` would load a module of Node that nothing else here needs. */
function monotonicMs(): number {
  const time = process.hrtime();
  return time[0] * 1e3 + time[1] / 1e6;
}

export const systemClock = {
  nowMs: () => Date.now(),
  monotonicMs,
  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      const end = monotonicMs() + toDelay(ms);
      let timer: NodeJS.Timeout;
      const onAbort = () => {
        clearTimeout(timer);
        reject(signal?.reason);
      };
      const arm = () => {
        const left = end - monotonicMs();
        if (left <= 0) {
          signal?.removeEventListener('abort', onAbort);
          resolve();
          return;
        }
        timer = setTimeout(arm, Math.min(left, MAX_TIMER_MS));
      };
      signal?.addEventListener('abort', onAbort, { once: true });
      arm();
    });
  },
  timer(ms: number, callback: () => void): () => void {
    const left = toDelay(ms);
    if (left > MAX_TIMER_MS) {
      let cancel = systemClock.timer(MAX_TIMER_MS, () => {
        cancel = systemClock.timer(left - MAX_TIMER_MS, callback);
      });
      return () => cancel();
    }
    const timer = setTimeout(callback, left);
    timer.unref();
    return () => clearTimeout(timer);
  },
} as const;

/** Anything but a positive number is no delay: a timer of NaN would never fire. */
function toDelay(ms: number): number {
  return Number.isNaN(ms) ? 0 : Math.max(0, ms);
}

export const systemRandom = () => Math.random();

/** Waits. false: the signal was aborted. */
export const sleepUnlessAborted = (ms: number, signal: AbortSignal): Promise<boolean> =>
  systemClock.sleep(ms, signal).then(
    () => true,
    () => false,
  );
