/** Why the loop makes another iteration (L7). */
export const TRANSITION_REASONS = [
  'next_turn',
  'collapse_drain_retry',
  'reactive_compact_retry',
  'max_output_tokens_escalate',
  'max_output_tokens_recovery',
  'stop_hook_blocking',
  'token_budget_continuation',
  'unusable_answer_retry',
  'verify_failed',
] as const;

export type TransitionReason = (typeof TRANSITION_REASONS)[number];

export interface Transition {
  readonly reason: TransitionReason;
  /** Attempt of a bounded recovery, counted from 1. */
  readonly attempt?: number;
}
