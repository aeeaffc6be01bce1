/** The one message that every submission ends in, as consumers receive it. */
import type { FastModeDisabledReason, FastModeState } from './model.ts';
import type { PermissionDenial } from './permission.ts';
import type { Stamped } from './session-messages.ts';
import type { TerminalReason } from './terminal.ts';
import type { ResultUsage, StopReason } from './wire.ts';

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
  /** The model's name without a date or a suffix. */
  readonly canonicalModel?: string;
  readonly provider?: 'firstParty';
  /** `list`, or `unknown` when the model has no price. */
  readonly costBasis: 'list' | 'managed' | 'unknown';
}

/** Agents that the model asked for in this session, by what became of them. */
export interface SubagentStats {
  readonly spawned: number;
  /** By what `run_in_background` of the call said. */
  readonly requested: { readonly background: number; readonly foreground: number; readonly unset: number };
  readonly started_in_background: number;
  /** 1: by the main conversation alone. */
  readonly max_depth: number;
  readonly spawned_by_subagents: number;
  readonly completed: number;
  readonly failed: number;
  /** By the agent or conversation that had started it, by a person or host, by the engine. */
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
  /** Estimate, USD, cumulative over the session's queries in this engine. */
  readonly total_cost_usd: number;
  /** The main loop of this submission. */
  readonly usage: ResultUsage;
  /** Everything: subagents, compaction, helpers. */
  readonly modelUsage: Readonly<Record<string, ModelUsage>>;
  /** Of that, what came since the result before it; models without any are left out. */
  readonly model_usage_since_last_result?: Readonly<Record<string, ModelUsage>>;
  readonly permission_denials: readonly PermissionDenial[];
  readonly subagent_stats?: SubagentStats;
  /** Answers of this session that were refusals. */
  readonly safety_stops?: number;
  /** As in `system/init`, at the end of the turn. */
  readonly fast_mode_state?: FastModeState;
  readonly fast_mode_disabled_reason?: FastModeDisabledReason;
  readonly origin?: { readonly kind: string; readonly [key: string]: unknown };
  readonly user_message_uuid?: string;
  /** Of every prompt that this turn answered: its own first, then those that joined it. */
  readonly user_message_uuids?: readonly string[];
  /** Prompts that were in line when it ended. */
  readonly queued_turn_count?: number;
  /** Results of the session in this process before it. */
  readonly result_index?: number;
}

export interface SDKResultSuccess extends ResultCommon {
  readonly subtype: 'success';
  readonly result: string;
  readonly structured_output?: unknown;
  /** The slash command that answered in the model's place. */
  readonly local_command?: string;
  /** HTTP status and error type of the request that failed; a status of null where none did. */
  readonly api_error_status?: number | null;
  readonly api_error_type?: string;
  /** ms from the prompt to the first content of an answer. This and the next three only where there was an answer. */
  readonly ttft_ms?: number;
  readonly first_content_frame_ms?: number;
  /** ms from the prompt to the first event of an answer. */
  readonly ttft_stream_ms?: number;
  /** ms from the prompt to the first request. */
  readonly time_to_request_ms?: number;
  /** ms since 1970 when the first request went out, and what it was made of; for a prompt with a uuid. */
  readonly request_sent_wall_ms?: number;
  readonly first_request_input_tokens?: number;
  readonly first_request_cache_read_input_tokens?: number;
}

export const RESULT_ERROR_SUBTYPES = [
  'error_during_execution',
  'error_max_turns',
  'error_max_budget_usd',
  'error_max_structured_output_retries',
] as const;

export interface SDKResultError extends ResultCommon {
  readonly subtype: (typeof RESULT_ERROR_SUBTYPES)[number];
  readonly errors: readonly string[];
  /** No session was begun: isolation of commands is not there, or, on the command line, what the host had promised to send. */
  readonly startup_failure_reason?:
    | 'initialize_not_first'
    | 'managed_settings_not_delivered'
    | 'initialize_fields_not_delivered'
    | 'sandbox_required_unavailable';
}

export type SDKResultMessage = SDKResultSuccess | SDKResultError;
