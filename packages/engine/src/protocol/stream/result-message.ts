/** The one message that ends every submission, as consumers receive it. */
import type { FastModeDisabledReason, FastModeState } from '../model/model.ts';
import type { ResultUsage, StopReason } from '../model/wire.ts';
import type { ResultErrorSubtype, TerminalReason } from '../session/terminal.ts';
import type { Verification } from '../session/verification.ts';
import type { PermissionDenial } from '../tools/permission.ts';
import type { Stamped } from './session-messages.ts';

/**
 * Tokens and cost of one model in a session.
 *
 * @example
 * ```ts
 * const costs = ({ modelUsage }: SDKResultMessage) =>
 *   Object.entries(modelUsage).map(([model, { costUSD }]) => `${model}: ${costUSD.toFixed(2)} USD`);
 * ```
 */
export interface ModelUsage {
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cacheReadInputTokens: number;
  readonly cacheCreationInputTokens: number;
  readonly cacheCreationEphemeral5mInputTokens: number;
  readonly cacheCreationEphemeral1hInputTokens: number;
  readonly thinkingTokens: number;
  readonly webSearchRequests: number;
  readonly costUSD: number;
  readonly contextWindow: number;
  readonly maxOutputTokens: number;
  /** The model's name without date and suffix. */
  readonly canonicalModel?: string;
  /** The provider that answered: `firstParty`, `bedrock`, … */
  readonly provider?: string;
  /** `list`, or `unknown`: the model has no price of its own, and `costUSD` is 0 or a guess by its family. */
  readonly costBasis: 'list' | 'managed' | 'unknown';
}

/** Subagents of this session, by outcome. */
export interface SubagentStats {
  readonly spawned: number;
  /** By the `run_in_background` of the call. */
  readonly requested: { readonly background: number; readonly foreground: number; readonly unset: number };
  readonly started_in_background: number;
  /** Greatest nesting depth; 1: only the main agent started agents. */
  readonly max_depth: number;
  readonly spawned_by_subagents: number;
  readonly completed: number;
  readonly failed: number;
  /** Ended early: by the agent or conversation that started it, by the user or host, by the engine. */
  readonly killed: { readonly parent: number; readonly user: number; readonly system: number };
  readonly refused: {
    readonly depth_limit: number;
    readonly concurrency_limit: number;
    readonly budget: number;
  };
  readonly by_type: Readonly<Record<string, number>>;
}

interface ResultCommon extends Stamped {
  readonly type: 'result';
  readonly is_error: boolean;
  readonly duration_ms: number;
  readonly duration_api_ms: number;
  readonly num_turns: number;
  readonly stop_reason: StopReason | null;
  /** Absent when no query ran. */
  readonly terminal_reason?: TerminalReason;
  /** Estimated cost in USD, cumulative over the session's queries in this engine. */
  readonly total_cost_usd: number;
  /** Usage of the main loop of this submission. */
  readonly usage: ResultUsage;
  /** Usage of every model call by model: subagents, compactions and helpers included. */
  readonly modelUsage: Readonly<Record<string, ModelUsage>>;
  /** The part of `modelUsage` since the previous result; models without usage are omitted. */
  readonly model_usage_since_last_result?: Readonly<Record<string, ModelUsage>>;
  readonly permission_denials: readonly PermissionDenial[];
  /** Whether its completion conditions held at the end; absent: there were none (`verify`). */
  readonly verification?: Verification;
  readonly subagent_stats?: SubagentStats;
  /** Refusals in this session. */
  readonly safety_stops?: number;
  /** Fast mode at the end of the turn, as in `system/init`. */
  readonly fast_mode_state?: FastModeState;
  readonly fast_mode_disabled_reason?: FastModeDisabledReason;
  readonly origin?: { readonly kind: string; readonly [key: string]: unknown };
  readonly user_message_uuid?: string;
  /** uuids of every prompt that this turn answered: the first one, then those that joined it. */
  readonly user_message_uuids?: readonly string[];
  /** Prompts that were queued when the turn ended. */
  readonly queued_turn_count?: number;
  /** Number of results of the session in this process before this one. */
  readonly result_index?: number;
}

/**
 * The result of a submission that ended with an answer. With `is_error` the answer is an error message.
 * `Output`: the type of `structured_output`, by the schema of `outputFormat`.
 *
 * @example
 * ```ts
 * const answer = ({ result, is_error }: SDKResultSuccess) => (is_error ? `Failed: ${result}` : result);
 * ```
 */
export interface SDKResultSuccess<Output = unknown> extends ResultCommon {
  readonly subtype: 'success';
  /** Text of the last message that was not retracted. */
  readonly result: string;
  /** The value for `outputFormat`, as its schema gives it back. */
  readonly structured_output?: Output;
  /** The slash command that produced the result without a model call. */
  readonly local_command?: string;
  /** HTTP status and error type of the failed request; null if there was no HTTP response. */
  readonly api_error_status?: number | null;
  readonly api_error_type?: string;
  /**
   * ms from the prompt to the first content of a response. This field and the next three are absent without a
   * response.
   */
  readonly ttft_ms?: number;
  readonly first_content_frame_ms?: number;
  /** ms from the prompt to the first event of a response. */
  readonly ttft_stream_ms?: number;
  /** ms from the prompt to the first request. */
  readonly time_to_request_ms?: number;
  /** Time of the first request in ms since 1970, and its composition; for a prompt with a uuid. */
  readonly request_sent_wall_ms?: number;
  readonly first_request_input_tokens?: number;
  readonly first_request_cache_read_input_tokens?: number;
}

/**
 * The result of a submission that a limit or an error ended. `errors` says why.
 *
 * @example
 * ```ts
 * const why = ({ subtype, errors }: SDKResultError) => `${subtype}: ${errors.join(' ')}`;
 * ```
 */
export interface SDKResultError extends ResultCommon {
  readonly subtype: ResultErrorSubtype;
  /** Sentences for the user. */
  readonly errors: readonly string[];
  /**
   * The session did not start: command isolation is not available, or (command line) the host did not send
   * what it announced.
   */
  readonly startup_failure_reason?:
    | 'initialize_not_first'
    | 'managed_settings_not_delivered'
    | 'initialize_fields_not_delivered'
    | 'sandbox_required_unavailable';
}

/**
 * The last message of a submission; each submission has exactly one.
 *
 * @example
 * ```ts
 * const endOf = (result: SDKResultMessage): string =>
 *   result.subtype === 'success' ? result.result : result.errors.join(' ');
 * ```
 */
export type SDKResultMessage<Output = unknown> = SDKResultSuccess<Output> | SDKResultError;
