/** The loop's constants: how often, how many, how much. Each is written here alone. */

/** Messages that ask the model to continue a truncated answer, per turn (L7 rule 5). */
export const MAX_RESUMES = 3;

/** Continuations of an answer that the provider paused, per turn. */
export const MAX_PAUSES = 10;

/** Retries of an empty answer; the next one is accepted. */
export const MAX_EMPTY_NUDGES = 1;
/** Retries of an answer that announced a tool call without making one. */
export const MAX_MALFORMED_NUDGES = 2;

/** A token budget is used up when this share of it was produced. */
export const TOKEN_BUDGET_ENOUGH = 0.95;
/** A continuation gained little when it produced less than this share of the token budget. */
export const TOKEN_BUDGET_SMALL_GAIN = 0.01;
/** Continuations in a row that gained little, after which the run ends. */
export const SMALL_GAINS_TO_STOP = 2;

/** Tokens of output beside an explicit thinking budget. */
export const ANSWER_BESIDE_THINKING_TOKENS = 8_000;

/**
 * Deltas of a content block that are kept apart before they are joined: few long-lived strings cost the
 * collector less.
 */
export const DELTAS_PER_PIECE = 256;

/** Uuids of added messages in one decision record. */
export const MOST_ADDED_UUIDS = 24;

/** Most characters of what the command of one failed condition wrote, and of all of them, in the message. */
export const CHECK_OUTPUT_CHARS = 4_000;
export const CHECKS_CHARS = 16_000;
