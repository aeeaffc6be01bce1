/**
 * `speed: fast` under rate limits (L8, 429): a short wait keeps it, a long one suspends it, a refusal ends
 * it.
 */

import type { ModelFailure } from '../../protocol/model/failure.ts';
import type { FastModeStatus } from '../../protocol/model/model.ts';
import type { ResponseHeaders } from '../../protocol/model/provider-wire.ts';
import type { Clock } from '../../protocol/ports.ts';
import { isFastModeWording } from './error-wordings.ts';

const SHORT_WAIT_MS = 20_000;
const COOL_DOWN_MS = 600_000;

export interface FastMode {
  status(): FastModeStatus;
  /**
   * Called for a failed fast request. `keep`: continue as with any failure; `slower`: retry after a usual
   * back-off, at normal speed; `at_once`: retry immediately, at normal speed.
   */
  onFailure(failure: ModelFailure, headers: ResponseHeaders): 'keep' | 'slower' | 'at_once';
}

const ON: FastModeStatus = { state: 'on' };
const COOLING: FastModeStatus = { state: 'cooldown' };

/**
 * The end of fast mode, if the failure is one: no extra usage to pay for it, or not enabled for the
 * organisation.
 */
function refusalIn(failure: ModelFailure, headers: ResponseHeaders): FastModeStatus | undefined {
  if (failure.kind === 'rate_limited' && headers[OVERAGE_REFUSED] !== undefined)
    return { state: 'off', reason: 'extra_usage_disabled' };
  if (failure.kind === 'invalid_request' && isFastModeWording(failure.message))
    return { state: 'off', reason: 'preference' };
  return undefined;
}

const OVERAGE_REFUSED = 'anthropic-ratelimit-unified-overage-disabled-reason';

export function createFastMode(clock: Clock): FastMode {
  let refusal: FastModeStatus | undefined;
  let coolUntil = Number.NEGATIVE_INFINITY;
  return {
    status: () => refusal ?? (clock.monotonicMs() < coolUntil ? COOLING : ON),
    onFailure(failure, headers) {
      const refused = refusalIn(failure, headers);
      if (refused !== undefined) {
        refusal = refused;
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
