/**
 * A rate limit belongs to a key, not to a call: when one call of the process has to wait, the others with the
 * same key wait as well (F58).
 */
import type { ModelFailure } from '../../protocol/model/failure.ts';
import type { Clock } from '../../protocol/ports.ts';

export interface RateLimitPause {
  /** A call was refused and waits this long. */
  note(failure: ModelFailure, delayMs: number): void;
  /** How long another call has to wait before it is sent, and why; undefined: not at all. */
  left(): { readonly delayMs: number; readonly failure: ModelFailure } | undefined;
}

/** By clock, because the times are those of one clock. */
const shared = new WeakMap<Clock, Map<string, RateLimitPause>>();

/** `key`: endpoint and credential. The same object for all clients of the process with this clock. */
export function rateLimitPause(clock: Clock, key: string): RateLimitPause {
  const pauses = shared.get(clock) ?? new Map<string, RateLimitPause>();
  shared.set(clock, pauses);
  const known = pauses.get(key) ?? new Pause(clock);
  pauses.set(key, known);
  return known;
}

class Pause implements RateLimitPause {
  readonly #clock: Clock;
  #until: { readonly ms: number; readonly failure: ModelFailure } | undefined;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  note(failure: ModelFailure, delayMs: number): void {
    const ms = this.#clock.monotonicMs() + delayMs;
    if (this.#until === undefined || ms > this.#until.ms) this.#until = { ms, failure };
  }

  left(): { readonly delayMs: number; readonly failure: ModelFailure } | undefined {
    if (this.#until === undefined) return undefined;
    const delayMs = Math.ceil(this.#until.ms - this.#clock.monotonicMs());
    if (delayMs > 0) return { delayMs, failure: this.#until.failure };
    this.#until = undefined;
    return undefined;
  }
}
