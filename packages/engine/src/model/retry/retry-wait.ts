/**
 * A wait between two attempts: announced first, ended immediately by abort, with a heartbeat when it may take
 * hours.
 */
import type { ModelFailure } from '../../protocol/model/failure.ts';
import type { ModelOutput } from '../../protocol/model/model.ts';
import type { Clock } from '../../protocol/ports.ts';
import { assistantErrorKind } from './classify-error.ts';

const HEARTBEAT_MS = 30_000;

interface Announced {
  readonly failure: ModelFailure;
  readonly delayMs: number;
  readonly attempt: number;
  readonly maxRetries: number;
  readonly isUnlimited?: boolean;
}

interface Wait extends Announced {
  /** Repeats the notice every 30 s, with the remaining time. */
  readonly heartbeat: boolean;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** Returns early when the signal is aborted; the caller checks it. */
export async function* waitAnnounced(wait: Wait): AsyncGenerator<ModelOutput, void> {
  const { clock, signal } = wait;
  const until = clock.monotonicMs() + wait.delayMs;
  let leftMs = wait.delayMs;
  do {
    yield announcement({ ...wait, delayMs: leftMs });
    try {
      await clock.sleep(wait.heartbeat ? Math.min(leftMs, HEARTBEAT_MS) : leftMs, signal);
    } catch (error) {
      if (signal.aborted) return;
      throw error;
    }
    leftMs = Math.ceil(until - clock.monotonicMs());
  } while (wait.heartbeat && leftMs > 0);
}

/** The wait as the consumer reads of it, before it begins. */
export function announcement({ failure, delayMs, attempt, maxRetries, isUnlimited }: Announced): ModelOutput {
  return {
    kind: 'retry',
    notice: {
      attempt,
      maxRetries,
      ...(isUnlimited === true && { isUnlimited }),
      delayMs,
      status: failure.status ?? null,
      error: assistantErrorKind(failure),
      cause: failure.message,
    },
  };
}
