/** One model call, as the loop sees it: a request, batches of decoded events, and one outcome. */

import type { AssistantErrorKind, ModelFailure } from './failure.ts';
import type { Life } from './life.ts';
import type { View } from './view.ts';

import type { EffortLevel, StreamEvent, ThinkingConfig, Usage, WireTool } from './wire.ts';

/** Who asks. Background sources give up on 529 at once. */
export type QuerySource = 'main' | `agent:${string}` | 'compact' | 'summary' | 'hook' | (string & {});

export interface ModelRequest {
  readonly querySource: QuerySource;
  readonly foreground: boolean;
  /** Idempotency and replay key: `submission/iteration/attempt/kind`. */
  readonly effectKey: string;
  readonly sessionId: string;
  /** The subagent that asks; absent: the main one, or a helper. */
  readonly agentId?: string;
  readonly model: string;
  /**
   * Overloaded answers in a row after which the call fails although retries are left, because there is another model to
   * ask. Absent: all retries are used.
   */
  readonly overloadLimit?: number;
  readonly system: readonly string[];
  /** Goes before the first message, as text blocks of its own; '' or absent means none. */
  readonly userContext?: readonly string[];
  readonly view: View;
  /** Already in the API's shape, in a stable order; same array identity while the set is unchanged. */
  readonly tools: readonly WireTool[];
  /** Tools that the provider runs itself, as the API names them. Default none. */
  readonly serverTools?: readonly (Readonly<Record<string, unknown>> & { readonly type: string })[];
  readonly maxTokens: number;
  readonly thinking?: ThinkingConfig;
  readonly effort?: EffortLevel;
  readonly taskBudget?: { readonly total: number; readonly remaining?: number };
  readonly speed?: 'fast';
  readonly betas?: readonly string[];
  /** API-side context edits (cached microcompact). */
  readonly contextManagement?: unknown;
  /** false: one JSON answer (the repeat of L4.3); its events arrive as one batch. */
  readonly stream: boolean;
  /** Prompt caching on (default true). */
  readonly cache?: boolean;
}

/** Plain data that outlives one attempt: the model layer reads it, adds to it and hands it back. */
export interface RetryState {
  /** Retries spent on this request so far (L8: at most `maxRetries`). */
  readonly retries: number;
  /** Overloaded answers since the last answer that was not: 529, or `overloaded_error` in a stream. */
  readonly overloadedInARow: number;
  readonly credentialsRefreshed: boolean;
  readonly keepAlive: boolean;
  readonly withoutThinking: boolean;
  /** Lowered after "input length and max_tokens exceed context limit". */
  readonly maxTokens?: number;
}

export const FRESH_RETRY_STATE: RetryState = Object.freeze({
  retries: 0,
  overloadedInARow: 0,
  credentialsRefreshed: false,
  keepAlive: true,
  withoutThinking: false,
});

export interface RetryNotice {
  readonly attempt: number;
  readonly maxRetries: number;
  readonly delayMs: number;
  readonly status: number | null;
  readonly error: AssistantErrorKind;
  /** What failed, in a sentence. */
  readonly cause: string;
}

/** One HTTP attempt, for the decision record. Times are the clock's monotonic ms. */
export interface AttemptRecord {
  readonly startMs: number;
  readonly firstByteMs?: number;
  readonly firstContentMs?: number;
  readonly endMs: number;
  readonly model: string;
  readonly stream: boolean;
  readonly bytes: number;
  readonly outcome: 'complete' | ModelFailure['kind'] | 'aborted';
  readonly status?: number;
  readonly requestId?: string;
  readonly waitedMs?: number;
  readonly usage?: Usage;
  /** Paid for and thrown away. */
  readonly wasted?: boolean;
}

/** What a call hands over while it runs. A batch is what one socket read held. */
export type ModelOutput =
  | { readonly kind: 'attempt'; readonly attempt: number; readonly bytes: number; readonly maxTokens: number }
  | {
      readonly kind: 'events';
      readonly events: readonly StreamEvent[];
      /** ms since the request went out; on the first batch of an answer only. */
      readonly ttftMs?: number;
      /** Of the response's head: known before its first block is. */
      readonly requestId?: string;
    }
  | { readonly kind: 'retry'; readonly notice: RetryNotice };

/**
 * How a call ended. Never a throw for an expected failure; abort is an outcome too. Whether another model is asked next
 * is for the loop to decide: `retry.overloadedInARow` says how often this one was overloaded (L4.4).
 */
export type ModelOutcome = {
  readonly retry: RetryState;
  readonly attempts: readonly AttemptRecord[];
  readonly requestId?: string;
} & (
  | { readonly kind: 'complete' }
  /** `message_start` was seen, then the stream broke: L4.3 decides. */
  | { readonly kind: 'broken'; readonly failure: ModelFailure }
  /** No message has begun, and no retry is left, allowed or of use. */
  | { readonly kind: 'failed'; readonly failure: ModelFailure }
  | { readonly kind: 'aborted' }
);

export interface CallOptions {
  readonly signal: AbortSignal;
  /** The same end, where the caller has it as more than a signal. */
  readonly life?: Life;
  readonly retry: RetryState;
  /** Ask again after this broken stream: counts as an attempt of L8 (back-off first), unless `immediate`. */
  readonly after?: { readonly failure: ModelFailure; readonly immediate: boolean };
}

/** Contract: yields outputs in order; never throws for a failed call; ends within 100 ms of abort. */
export type CallModel = (
  request: ModelRequest,
  options: CallOptions,
) => AsyncGenerator<ModelOutput, ModelOutcome>;

export type FastModeState = 'off' | 'cooldown' | 'on';

/** Why fast requests do not go out at all. Absent: nothing is in their way, or they are to go out again later. */
export type FastModeDisabledReason =
  /** The plan or the organisation has no extra usage to pay for it. */
  | 'extra_usage_disabled'
  /** The organisation does not have it. */
  | 'preference'
  /** `CLAUDE_CODE_DISABLE_FAST_MODE` is set. */
  | 'disabled_by_env'
  /** It was not asked for. */
  | 'sdk_opt_in_required';

export interface FastModeStatus {
  readonly state: FastModeState;
  readonly reason?: FastModeDisabledReason;
}

export interface ModelInfo {
  readonly id: string;
  readonly displayName: string;
  readonly contextWindow: number;
  readonly maxOutputTokens: number;
  readonly supportsAdaptiveThinking: boolean;
  readonly supportsEffort: boolean;
  /** What a request asks for when no effort was chosen; absent: nothing. */
  readonly defaultEffort?: EffortLevel | undefined;
  /** It thinks on every request: thinking cannot be switched off. Default false. */
  readonly alwaysThinks?: boolean;
  /** Default false. */
  readonly supportsFastMode?: boolean;
  /** Until when its knowledge reaches, in words (`June 2026`); absent: unknown. */
  readonly knowledgeCutoff?: string | undefined;
  /** USD per million tokens; undefined = unpriced. */
  readonly price?: ModelPrice;
  /** Where price and sizes came from: `list`, `family`, `endpoint`, `settings` or `default`. */
  readonly source: string;
}

export interface ModelPrice {
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite5m: number;
  readonly cacheWrite1h: number;
  /** Applies instead when the prompt is longer than `aboveTokens`. */
  readonly above?: { readonly aboveTokens: number; readonly price: Omit<ModelPrice, 'above'> };
  /** Date of the list, ISO. */
  readonly asOf?: string;
}
