/** `speed: fast` under rate limits (L8, 429): a short wait keeps it, a long one suspends it, a refusal ends it. */
import type { ModelFailure } from '../protocol/failure.ts';
import type { Clock } from '../protocol/ports.ts';
import { isFastModeWording } from './error-wordings.ts';
import type { ResponseHeaders } from './http-head.ts';

const SHORT_WAIT_MS = 20_000;
const COOL_DOWN_MS = 600_000;

export interface FastMode {
  /** Fast requests may go out now. */
  isAvailable(): boolean;
  /**
   * Told about a failed fast request. `keep`: go on as with any failure; `slower`: the same after a usual back-off,
   * at normal speed; `at_once`: ask again now, at normal speed.
   */
  onFailure(failure: ModelFailure, headers: ResponseHeaders): 'keep' | 'slower' | 'at_once';
}

export function createFastMode(clock: Clock): FastMode {
  let off = false;
  let coolUntil = Number.NEGATIVE_INFINITY;
  return {
    isAvailable: () => !off && clock.monotonicMs() >= coolUntil,
    onFailure(failure, headers) {
      const refused =
        failure.kind === 'rate_limited'
          ? headers['anthropic-ratelimit-unified-overage-disabled-reason'] !== undefined
          : failure.kind === 'invalid_request' && isFastModeWording(failure.message);
      if (refused) {
        off = true;
        return 'at_once';
      }
      if (failure.kind !== 'rate_limited') return 'keep';
      const wait = failure.retryAfterMs ?? Number.POSITIVE_INFINITY;
      if (wait <= SHORT_WAIT_MS) return 'keep';
      coolUntil = clock.monotonicMs() + Math.max(COOL_DOWN_MS, failure.retryAfterMs ?? 0);
      return 'slower';
    },
  };
}
