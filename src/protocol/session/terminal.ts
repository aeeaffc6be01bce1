/**
 * Why a submission ended (L7.1). A closed list: results, exit codes, docs and tests are checked against it.
 */
export const TERMINAL_REASONS = [
  'completed',
  'max_turns',
  'budget_exhausted',
  'structured_output_retry_exhausted',
  'aborted_streaming',
  'aborted_tools',
  'blocking_limit',
  'rapid_refill_breaker',
  'prompt_too_long',
  'image_error',
  'model_error',
  'api_error',
  'malformed_tool_use_exhausted',
  'stop_hook_prevented',
  'hook_stopped',
  'turn_setup_failed',
] as const;

/** Why a submission ended: `terminal_reason` of its result. */
export type TerminalReason = (typeof TERMINAL_REASONS)[number];

/** The inner loop's return value. */
export interface Terminal {
  readonly reason: TerminalReason;
  /** The loop's own turn counter (starts at 1, grows per tool-result follow-up). */
  readonly turnCount: number;
  /** Sentences for `result.errors`, for reasons that end in an error result. */
  readonly errors?: readonly string[];
  /** HTTP status of the API failure that ended the run, when one did. */
  readonly apiErrorStatus?: number;
}
