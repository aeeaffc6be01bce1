/** The table of L8 as a pure function: what to do after a failure. */
import type { ModelFailure } from '../../protocol/model/failure.ts';
import { fallbackTrigger, QUOTA_WAIT_MS } from '../../protocol/model/fallback.ts';
import type { ModelRequest, RetryState } from '../../protocol/model/model.ts';
import type { RandomPort } from '../../protocol/ports.ts';
import { isReset } from './classify-error.ts';

export interface RetryPolicy {
  /** Maximum retries of one request. Default 10. */
  readonly maxRetries: number;
  /** Retries while the endpoint was never reached. Default 4; ignored when `persistent`. */
  readonly unreachedRetries: number;
  /** Unattended mode: overload and rate limits are retried without limit. */
  readonly persistent: boolean;
}

export type RetryVerdict = {
  readonly state: RetryState;
} /** After a wait that is announced; 0: at once and silently. */ & (
  | { readonly kind: 'again'; readonly delayMs: number; readonly persistent: boolean }
  /** Another run makes the request again, after the wait that the server asked for. */
  | { readonly kind: 'park'; readonly delayMs: number }
  | { readonly kind: 'refresh'; readonly why: 'expired' | 'revoked' }
  | { readonly kind: 'fail'; readonly failure: ModelFailure }
);

interface RetryInput {
  readonly failure: ModelFailure;
  readonly state: RetryState;
  readonly policy: RetryPolicy;
  readonly foreground: boolean;
  /** See `ModelRequest`. */
  readonly fallsBackOn: ModelRequest['fallsBackOn'];
  readonly canRefresh: boolean;
  /** No server has answered at this endpoint so far. */
  readonly neverReached: boolean;
  /** Waits of persistent mode since its back-off was reset. */
  readonly persistentWaits: number;
  /** Time until the rate limit resets, ms, if the server reported it. */
  readonly resetMs: number | undefined;
  /** See `CallOptions`. */
  readonly isTooLong: ((ms: number) => boolean) | undefined;
  readonly random: RandomPort;
}

const BACKOFF_BASE_MS = 500;
const BACKOFF_CAP_MS = 32_000;
const PERSISTENT_CAP_MS = 300_000;
const JITTER = 0.25;
/** The longest reset that persistent mode waits for, and the time after which its back-off is reset. */
export const MAX_PERSISTENT_WAIT_MS = 6 * 3_600_000;
const OUTPUT_MARGIN_TOKENS = 1000;
const MIN_OUTPUT_TOKENS = 3000;

/** Updates the state after a failure. */
export function noteFailure(state: RetryState, failure: ModelFailure): RetryState {
  return {
    ...state,
    overloadedInARow: failure.kind === 'overloaded' ? state.overloadedInARow + 1 : 0,
    stalledInARow: isStall(failure) ? (state.stalledInARow ?? 0) + 1 : 0,
    keepAlive: state.keepAlive && !isReset(failure),
  };
}

/** Time ran out while the server said nothing. A status means that it has answered. */
function isStall({ kind, status }: ModelFailure): boolean {
  return kind === 'stalled' || (kind === 'timeout' && status === undefined);
}

/** `state` includes the failure already. */
export function decideRetry(input: RetryInput): RetryVerdict {
  const { failure, state } = input;
  const fail = (why = failure): RetryVerdict => ({ kind: 'fail', failure: why, state });
  const trigger = fallbackTrigger(failure, state);
  if (trigger !== undefined && input.fallsBackOn?.includes(trigger) === true) return fail(told(failure));
  switch (failure.kind) {
    case 'overloaded':
      return !input.foreground || failure.shouldRetry === false ? fail() : waitFor(input);
    case 'authentication':
    case 'token_revoked':
    case 'cloud_credentials': {
      if (state.credentialsRefreshed || !input.canRefresh) return fail();
      const why = failure.kind === 'token_revoked' ? 'revoked' : 'expired';
      return { kind: 'refresh', why, state: { ...state, credentialsRefreshed: true } };
    }
    case 'output_over_window':
      return withLessOutput(input);
    case 'invalid_signature':
      if (state.withoutThinking) return fail();
      return { kind: 'again', delayMs: 0, persistent: false, state: { ...state, withoutThinking: true } };
    case 'rate_limited':
    case 'timeout':
    case 'server_error':
    case 'connection':
    case 'cut':
    case 'stalled':
    case 'stream_error':
    case 'protocol':
      return failure.shouldRetry === false ? fail() : waitFor(input);
    case 'prompt_too_long':
    case 'media_too_large':
    case 'budget':
      return fail();
    case 'permission':
    case 'not_found':
    case 'invalid_request':
    case 'unknown':
      return failure.shouldRetry === true ? waitFor(input) : fail();
  }
}

function waitFor(input: RetryInput): RetryVerdict {
  const { failure, state, policy } = input;
  const persistent = policy.persistent && (failure.kind === 'overloaded' || failure.kind === 'rate_limited');
  const asked = failure.retryAfterMs ?? (persistent ? input.resetMs : undefined) ?? 0;
  const isSpent = !persistent && state.retries >= retryLimit(input);
  if (!isSpent && asked > 0 && input.isTooLong?.(asked) === true)
    return { kind: 'park', delayMs: asked, state };
  if (persistent) {
    const delayMs = backoff(
      input.persistentWaits + 1,
      PERSISTENT_CAP_MS,
      Math.min(asked, MAX_PERSISTENT_WAIT_MS),
      input.random,
    );
    return { kind: 'again', delayMs, persistent, state };
  }
  if (isSpent) return { kind: 'fail', failure, state };
  if (asked > QUOTA_WAIT_MS) return { kind: 'fail', failure: told(failure), state };
  const delayMs = backoff(state.retries + 1, BACKOFF_CAP_MS, asked, input.random);
  return { kind: 'again', delayMs, persistent, state: { ...state, retries: state.retries + 1 } };
}

/**
 * Maximum retries of this request after this failure: an address at which nothing ever answered may be wrong.
 */
export function retryLimit({
  failure,
  policy,
  neverReached,
}: Pick<RetryInput, 'failure' | 'policy' | 'neverReached'>): number {
  const { maxRetries, unreachedRetries, persistent } = policy;
  const unreached = neverReached && failure.kind === 'connection' && !isReset(failure);
  return unreached && !persistent ? Math.min(unreachedRetries, maxRetries) : maxRetries;
}

/**
 * At least the delay that the server requested; jitter is added, so that many clients do not retry together.
 */
function backoff(attempt: number, capMs: number, askedMs: number, random: RandomPort): number {
  const base = Math.min(capMs, BACKOFF_BASE_MS * 2 ** (attempt - 1));
  return Math.round(Math.max(base, askedMs) + base * JITTER * random());
}

/** With the wait that the server asks for, where it is too long. */
function told(failure: ModelFailure): ModelFailure {
  const { retryAfterMs: askedMs = 0 } = failure;
  if (askedMs <= QUOTA_WAIT_MS) return failure;
  const minutes = Math.ceil(askedMs / 60_000);
  const wait = minutes < 120 ? `${minutes} minutes` : `${Math.ceil(minutes / 60)} hours`;
  return { ...failure, message: `${failure.message} The server asks to wait ${wait}.` };
}

function withLessOutput({ failure, state, policy }: RetryInput): RetryVerdict {
  const { input, limit } = failure.tokens ?? {};
  const free = input === undefined || limit === undefined ? 0 : limit - input - OUTPUT_MARGIN_TOKENS;
  if (free < MIN_OUTPUT_TOKENS)
    return { kind: 'fail', failure: { ...failure, kind: 'prompt_too_long' }, state };
  const lowered = state.maxTokens === undefined || free < state.maxTokens;
  if (!lowered || state.retries >= policy.maxRetries) return { kind: 'fail', failure, state };
  return {
    kind: 'again',
    delayMs: 0,
    persistent: false,
    state: { ...state, retries: state.retries + 1, maxTokens: free },
  };
}
