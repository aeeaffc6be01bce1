import type { AgentEnd } from '../tools/agent.ts';
import type { Verification } from './verification.ts';

/** `subtype` of a result whose submission was ended by a limit or an error. */
export type ResultErrorSubtype =
  | 'error_during_execution'
  | 'error_max_turns'
  | 'error_max_budget_usd'
  | 'error_max_structured_output_retries';

/** What follows from an end: for the result, for an agent's caller, and for people. */
export interface TerminalMeaning {
  /**
   * `answer`: a success with the text of the last message. `shown_error`: a success whose `is_error` is set,
   * because the last message is a failure that was shown. Else the subtype of an error result.
   */
  readonly result: 'answer' | 'shown_error' | ResultErrorSubtype;
  /** The end that the caller of an agent gets. */
  readonly agent: AgentEnd;
  /** Why it stopped, behind "stopped:"; empty where it simply ended. */
  readonly sentence: string;
  /** How it ended, in two words at most. */
  readonly brief: string;
  /** `errors` of the result say it better than the sentence. */
  readonly isSaidByErrors?: true;
  /** The answer stands, and is no success. */
  readonly isError?: true;
  /** It was aborted, by a person or by its host. */
  readonly isAborted?: true;
}

const ROWS = {
  completed: { result: 'answer', agent: 'completed', sentence: '', brief: 'done' },
  max_turns: {
    result: 'error_max_turns',
    agent: 'max_turns',
    sentence: 'the turn limit was reached (--max-turns)',
    brief: 'turn limit',
  },
  budget_exhausted: {
    result: 'error_max_budget_usd',
    agent: 'budget',
    sentence: 'the spending limit was reached (--max-budget-usd)',
    brief: 'budget spent',
  },
  structured_output_retry_exhausted: {
    result: 'error_max_structured_output_retries',
    agent: 'error',
    sentence: 'no answer fitted the JSON schema',
    brief: 'failed',
  },
  aborted_streaming: {
    result: 'error_during_execution',
    agent: 'aborted',
    sentence: 'interrupted while the model was answering',
    brief: 'interrupted',
    isAborted: true,
  },
  aborted_tools: {
    result: 'error_during_execution',
    agent: 'aborted',
    sentence: 'interrupted while tools were running',
    brief: 'interrupted',
    isAborted: true,
  },
  blocking_limit: {
    result: 'shown_error',
    agent: 'error',
    sentence: 'the context is full and compaction is switched off',
    brief: 'context full',
  },
  rapid_refill_breaker: {
    result: 'shown_error',
    agent: 'error',
    sentence: 'the context filled up again right after each compaction',
    brief: 'context full',
  },
  prompt_too_long: {
    result: 'shown_error',
    agent: 'error',
    sentence: 'the conversation does not fit the model, even compacted',
    brief: 'context full',
  },
  image_error: {
    result: 'shown_error',
    agent: 'error',
    sentence: 'the model cannot take an image or document of this conversation',
    brief: 'failed',
  },
  model_error: {
    result: 'error_during_execution',
    agent: 'error',
    sentence: 'the model call failed',
    brief: 'model failed',
    isSaidByErrors: true,
  },
  api_error: {
    result: 'shown_error',
    agent: 'error',
    sentence: 'the API refused or failed',
    brief: 'model failed',
  },
  malformed_tool_use_exhausted: {
    result: 'shown_error',
    agent: 'error',
    sentence: 'the model kept announcing tool calls without making any',
    brief: 'failed',
  },
  stop_hook_prevented: {
    result: 'answer',
    // The answer had been given, and a hook had the last word.
    agent: 'completed',
    sentence: 'a Stop hook ended the run',
    brief: 'hook stopped',
  },
  unverified: {
    result: 'answer',
    isError: true,
    agent: 'completed',
    sentence: 'what must hold at its end does not, or could not be checked (verify)',
    brief: 'unverified',
  },
  hook_stopped: {
    result: 'answer',
    agent: 'stopped_by_hook',
    sentence: 'a hook ended the run',
    brief: 'hook stopped',
  },
  turn_setup_failed: {
    result: 'error_during_execution',
    agent: 'error',
    sentence: 'the run could not be set up',
    brief: 'failed',
    isSaidByErrors: true,
  },
} as const satisfies Readonly<Record<string, TerminalMeaning>>;

/** Why a submission ended: `terminal_reason` of its result. */
export type TerminalReason = keyof typeof ROWS;

/**
 * Why a submission ended (L7.1), and what follows from it. A closed list: results, exit codes, screens and
 * the answer to an agent's caller are read from it.
 *
 * @example TERMINALS.max_turns.sentence // 'the turn limit was reached (--max-turns)'
 */
export const TERMINALS: Readonly<Record<TerminalReason, TerminalMeaning>> = ROWS;

/** All reasons why a submission may end. */
export const TERMINAL_REASONS = Object.freeze(Object.keys(ROWS)) as readonly TerminalReason[];

/** What a reason means; undefined where there is none, or where a newer version wrote it. */
export const describeTerminal = (reason: string | undefined): TerminalMeaning | undefined =>
  reason !== undefined && Object.hasOwn(TERMINALS, reason) ? TERMINALS[reason as TerminalReason] : undefined;

/** The inner loop's return value. */
export interface Terminal {
  readonly reason: TerminalReason;
  /** The loop's own turn counter (starts at 1, grows per tool-result follow-up). */
  readonly turnCount: number;
  /** Sentences for `result.errors`, for reasons that end in an error result. */
  readonly errors?: readonly string[];
  /** HTTP status of the API failure that ended the run, when one did. */
  readonly apiErrorStatus?: number;
  /** What was found of the completion conditions last; absent: there are none, or nothing was checked. */
  readonly verification?: Verification;
}
