/**
 * When another model is asked in place of the one that was chosen (L4.4): the one table. Retries, the loop,
 * notices and docs/models.md read it.
 */
import type { ModelFailure } from './failure.ts';

export type FallbackTrigger = 'overloaded' | 'stalled' | 'quota' | 'billing' | 'model_not_found' | 'refusal';

interface FallbackPolicy {
  /** So many in a row, after which another model is asked. */
  readonly after: number;
  /** Which models of the list are asked: the next one, or the next one that another provider serves. */
  readonly asks: 'any' | 'other_provider';
  /**
   * What is kept of an answer that had begun; the rest is retracted. `complete_calls`: the finished blocks,
   * if a call is among them, which runs. `started_calls`: calls that had started, with their results.
   */
  readonly keeps: 'complete_calls' | 'started_calls';
  /** How often in a submission. Default: until the list is used up. */
  readonly most?: number;
  /** When the first choice is asked again. */
  readonly until: 'next_prompt';
  /** What the notice says of the first model. */
  readonly says: string;
}

export const FALLBACK_POLICIES: Readonly<Record<FallbackTrigger, FallbackPolicy>> = Object.freeze({
  overloaded: {
    after: 3,
    asks: 'any',
    keeps: 'complete_calls',
    until: 'next_prompt',
    says: 'is overloaded',
  },
  stalled: {
    after: 3,
    asks: 'any',
    keeps: 'complete_calls',
    until: 'next_prompt',
    says: 'does not answer',
  },
  quota: {
    after: 1,
    asks: 'other_provider',
    keeps: 'complete_calls',
    until: 'next_prompt',
    says: 'has reached its limit',
  },
  billing: {
    after: 1,
    asks: 'other_provider',
    keeps: 'complete_calls',
    until: 'next_prompt',
    says: 'is not paid for',
  },
  model_not_found: {
    after: 1,
    asks: 'any',
    keeps: 'complete_calls',
    until: 'next_prompt',
    says: 'is not available',
  },
  refusal: {
    after: 1,
    asks: 'any',
    keeps: 'started_calls',
    most: 1,
    until: 'next_prompt',
    says: 'refused to answer',
  },
});

export const FALLBACK_TRIGGERS = Object.keys(FALLBACK_POLICIES) as readonly FallbackTrigger[];

/** What the notice says about a refused answer that another model is asked in place of. */
export interface RefusedAnswer {
  readonly trigger: 'refusal';
  readonly direction: 'retry';
  /** The model of the session is unchanged. */
  readonly scope: 'local';
  readonly original_model: string;
  readonly fallback_model: string;
  /** Of the refused request; null if the API gave none. */
  readonly request_id: string | null;
  /** What the API says about the refusal (`cyber`, `bio`, …); null if it says nothing. */
  readonly api_refusal_category: string | null;
  readonly api_refusal_explanation: string | null;
  /** Messages of the refused answer that are no longer part of the conversation. */
  readonly retracted_message_uuids: readonly string[];
  /** uuid of the prompt; null if its sender gave none. */
  readonly refused_user_message_uuid?: string | null;
  readonly content: string;
}

/** A longer wait that the server asks for is one for a quota, in ms: it is not waited for by default. */
export const QUOTA_WAIT_MS = 300_000;

/** Failures in a row of one request, its last one included. */
interface FailuresInARow {
  readonly overloadedInARow: number;
  readonly stalledInARow?: number;
}

/**
 * What a failed call gives reason for; undefined: to ask no other model. `isFinal`: its retries are used up,
 * so that a rate limit counts as a quota.
 */
export function fallbackTrigger(
  { kind, errorType, retryAfterMs = 0 }: ModelFailure,
  { overloadedInARow, stalledInARow = 0 }: FailuresInARow,
  isFinal = false,
): FallbackTrigger | undefined {
  if (errorType === 'billing_error') return 'billing';
  if (kind === 'not_found') return 'model_not_found';
  if (kind === 'rate_limited') return isFinal || retryAfterMs > QUOTA_WAIT_MS ? 'quota' : undefined;
  if (overloadedInARow >= FALLBACK_POLICIES.overloaded.after) return 'overloaded';
  return stalledInARow >= FALLBACK_POLICIES.stalled.after ? 'stalled' : undefined;
}
