import type { Life } from '../protocol/life.ts';

/** The lifetime that a signal ends. */
export function toLife(signal: AbortSignal): Life {
  return {
    signal,
    get aborted() {
      return signal.aborted;
    },
    onAbort(listener) {
      signal.addEventListener('abort', listener, { once: true });
      if (signal.aborted) listener();
      return () => signal.removeEventListener('abort', listener);
    },
  };
}
