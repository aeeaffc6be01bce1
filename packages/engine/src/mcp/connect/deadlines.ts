/** Time limits of a call (F77–F79): without progress, and in total. */
import type { Clock } from '../../protocol/ports.ts';

interface Deadlines {
  /** ms without progress. Infinity: no limit. */
  readonly idleMs: number;
  /** ms in total; progress does not extend it. */
  readonly totalMs: number;
}

export class DeadlineError extends Error {
  readonly kind: 'idle' | 'total';
  readonly ms: number;
  constructor(kind: 'idle' | 'total', ms: number) {
    super(kind === 'idle' ? `no sign of life for ${ms} ms` : `not done after ${ms} ms`);
    this.name = 'DeadlineError';
    this.kind = kind;
    this.ms = ms;
  }
}

/**
 * Runs `work` with a signal that is aborted with the caller's, or at a deadline. Rejects immediately then,
 * even if the work ignores the signal: with the caller's reason, or with a DeadlineError. While `isHeld()`
 * (the user is being asked) the idle limit is paused.
 */
export async function withDeadlines<T>(
  { idleMs, totalMs }: Deadlines,
  clock: Clock,
  caller: AbortSignal,
  isHeld: () => boolean,
  work: (signal: AbortSignal, alive: () => void) => Promise<T>,
): Promise<T> {
  const controller = new AbortController();
  let cancelIdle = () => {};
  let fail: (reason: unknown) => void = () => {};
  const ended = new Promise<never>((_, reject) => {
    fail = (reason) => {
      reject(reason);
      controller.abort(reason);
    };
  });
  ended.catch(() => {});
  const timer: Clock['timer'] = (ms, due) =>
    ms === Number.POSITIVE_INFINITY ? () => {} : clock.timer(ms, due);
  const alive = () => {
    cancelIdle();
    cancelIdle = timer(idleMs, () => (isHeld() ? alive() : fail(new DeadlineError('idle', idleMs))));
  };
  const onAbort = () => fail(caller.reason);
  const cancelTotal = timer(totalMs, () => fail(new DeadlineError('total', totalMs)));
  caller.addEventListener('abort', onAbort, { once: true });
  try {
    if (caller.aborted) throw caller.reason;
    alive();
    return await Promise.race([work(controller.signal, alive), ended]);
  } finally {
    cancelIdle();
    cancelTotal();
    caller.removeEventListener('abort', onAbort);
  }
}
