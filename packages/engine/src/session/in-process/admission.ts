import type { Admission, Permit } from '../../protocol/ports.ts';

interface Waiting {
  readonly foreground: boolean;
  admit(): void;
}

/**
 * Limits concurrent model calls of one process to `maxConcurrent` (default unlimited): foreground before
 * background, else in order. A permit is released by `settle`, once; waiting ends on abort, with the signal's
 * reason.
 */
export function createAdmission(options: { readonly maxConcurrent?: number } = {}): Admission {
  const limit = options.maxConcurrent ?? Number.POSITIVE_INFINITY;
  let running = 0;
  let waiting: Waiting[] = [];

  function permit(): Permit {
    running++;
    let settled = false;
    return {
      settle() {
        if (settled) return;
        settled = true;
        running--;
        const next = waiting.find(({ foreground }) => foreground) ?? waiting[0];
        if (next === undefined) return;
        waiting = waiting.filter((other) => other !== next);
        next.admit();
      },
    };
  }

  return {
    acquire({ foreground }, signal) {
      if (signal.aborted) return Promise.reject(signal.reason);
      if (running < limit) return Promise.resolve(permit());
      return new Promise((resolve, reject) => {
        const leave = () => {
          waiting = waiting.filter((other) => other !== entry);
          reject(signal.reason);
        };
        const entry: Waiting = {
          foreground,
          admit() {
            signal.removeEventListener('abort', leave);
            resolve(permit());
          },
        };
        waiting.push(entry);
        signal.addEventListener('abort', leave, { once: true });
      });
    },
  };
}
