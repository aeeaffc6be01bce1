/** One model call, as the loop sees it: a request, batches of decoded events, and one outcome. */

import type { JsonSchema } from '../json.ts';
import type { Life } from '../life.ts';
import type { AssistantErrorKind, ModelFailure } from './failure.ts';
import type { FallbackTrigger } from './fallback.ts';
import type { View } from './view.ts';

import type { EffortLevel, StreamEvent, ThinkingConfig, Usage, WireTool } from './wire.ts';

/** Who makes the request. Background sources give up on 529 immediately. */
export type QuerySource = 'main' | `agent:${string}` | 'compact' | 'summary' | 'hook' | (string & {});

/** One model call as the loop makes it; a `CallModel` port turns it into a request on the wire. */
export interface ModelRequest {
  readonly querySource: QuerySource;
  /** true: a person or the loop waits for the answer, so overloads are retried. */
  readonly foreground: boolean;
  /** Idempotency and replay key: `submission/iteration/attempt/kind`. */
  readonly effectKey: string;
  readonly sessionId: string;
  /** The subagent that makes the request; absent for the main agent and for helper calls. */
  readonly agentId?: string;
  /** As configured; may be qualified by its provider (`local:qwen3:8b`). */
  readonly model: string;
  /**
   * What another model takes over for (L4.4): the call fails as soon as it gives reason for it, although
   * retries or a wait are left. Absent: nothing.
   */
  readonly fallsBackOn?: readonly FallbackTrigger[];
  /**
   * A refusal of this request may be followed by the same one to another model of the provider. `token`: of
   * the refusal that this one follows. Absent: not.
   */
  readonly refusalCredit?: { readonly token?: string };
  /** Blocks of the system prompt, in order. */
  readonly system: readonly string[];
  /** Text blocks before the first message; '' or absent means none. */
  readonly userContext?: readonly string[];
  /** The conversation, in order. */
  readonly view: View;
  /** In the API's shape and a stable order; the same array while the set is unchanged. */
  readonly tools: readonly WireTool[];
  /** Tools that the provider runs, as the API names them. Default none. */
  readonly serverTools?: readonly (Readonly<Record<string, unknown>> & { readonly type: string })[];
  /** Cap of the output. */
  readonly maxTokens: number;
  /** Absent: the default of the model. */
  readonly thinking?: ThinkingConfig;
  /** Absent: the default of the model. */
  readonly effort?: EffortLevel;
  /**
   * The text of an answer without calls must be JSON of this schema, the schema of an object. Sent by the
   * means of the API, which enforces it as far as it can. An endpoint that does not take it refuses the
   * request: `failed`, with `outputSchema` in the failure.
   */
  readonly outputSchema?: JsonSchema;
  /** Budget of the task in tokens, which the API tells the model. */
  readonly taskBudget?: { readonly total: number; readonly remaining?: number };
  /** Fast mode. Absent: normal. */
  readonly speed?: 'fast';
  /** Beta features to request, by the names of the API. */
  readonly betas?: readonly string[];
  /** API-side context edits (cached microcompact). */
  readonly contextManagement?: unknown;
  /**
   * Asks for nothing but a summary of the view, which the provider makes by its own words; the answer is one
   * `compaction` block. An endpoint that does not know this refuses the request.
   */
  readonly summarises?: true;
  /** false: one JSON response (the retry of L4.3), whose events arrive as one batch. */
  readonly stream: boolean;
  /** Prompt caching on (default true). */
  readonly cache?: boolean;
}

/** Plain data that outlives one attempt: the model layer reads it, updates it and returns it. */
export interface RetryState {
  /** Retries spent on this request so far (L8: at most `maxRetries`). */
  readonly retries: number;
  /** Overloaded responses since the last one that was not: 529, or `overloaded_error` in a stream. */
  readonly overloadedInARow: number;
  /** Attempts in a row that stalled: no answer, or no content, within the limits. Default 0. */
  readonly stalledInARow?: number;
  /** After a 401: credentials are renewed once per request. */
  readonly credentialsRefreshed: boolean;
  /** false: a broken connection was met, so the next attempt opens its own. */
  readonly keepAlive: boolean;
  /** The endpoint refused the thinking of the history, so it is left out. */
  readonly withoutThinking: boolean;
  /** Lowered after the error "input length and max_tokens exceed context limit". */
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
  /** Number of the retry, from 1. */
  readonly attempt: number;
  readonly maxRetries: number;
  /** Nothing limits the retries; `maxRetries` is then the number of this one. */
  readonly isUnlimited?: boolean;
  /** Wait before the retry. */
  readonly delayMs: number;
  /** HTTP status; null without a response. */
  readonly status: number | null;
  readonly error: AssistantErrorKind;
  /** What failed, in one sentence. */
  readonly cause: string;
}

/** One HTTP attempt, for the decision record. Times are monotonic ms of the clock. */
export interface AttemptRecord {
  readonly startMs: number;
  /** Absent when nothing was received. */
  readonly firstByteMs?: number;
  readonly firstContentMs?: number;
  readonly endMs: number;
  readonly model: string;
  readonly stream: boolean;
  /** Size of the request body; that of the whole conversation where the endpoint holds a part of it. */
  readonly bytes: number;
  readonly outcome: 'complete' | ModelFailure['kind'] | 'aborted';
  readonly status?: number;
  readonly requestId?: string;
  /** Wait before the attempt: back-off and shared rate limits. */
  readonly waitedMs?: number;
  readonly usage?: Usage;
  /** Billed and discarded. */
  readonly wasted?: boolean;
}

/** What a call yields while it runs. A batch holds the events of one socket read. */
export type ModelOutput =
  | { readonly kind: 'attempt'; readonly attempt: number; readonly bytes: number; readonly maxTokens: number }
  | {
      readonly kind: 'events';
      readonly events: readonly StreamEvent[];
      /** ms from the request to the first event; on the first batch of a response only. */
      readonly ttftMs?: number;
      /** From the response's headers: known before the first block. */
      readonly requestId?: string;
    }
  | { readonly kind: 'retry'; readonly notice: RetryNotice };

/**
 * How a call ended. Expected failures and aborts are outcomes, not exceptions. The loop decides about
 * fallback models: `retry` counts overloaded responses and stalls in a row (L4.4).
 */
export type ModelOutcome = {
  readonly retry: RetryState;
  readonly attempts: readonly AttemptRecord[];
  readonly requestId?: string;
} & (
  | { readonly kind: 'complete' }
  /** The stream broke after `message_start`: L4.3 decides. */
  | { readonly kind: 'broken'; readonly failure: ModelFailure }
  /** No message had begun, and a retry is not left, not allowed or useless. */
  | { readonly kind: 'failed'; readonly failure: ModelFailure }
  | { readonly kind: 'aborted' }
  /**
   * A wait until this time, in ms since 1970, is too long for the run. `why`: for people; absent: the server
   * asked for it.
   */
  | { readonly kind: 'parked'; readonly wakeAt: number; readonly why?: string }
);

export interface CallOptions {
  readonly signal: AbortSignal;
  /** Same lifetime as `signal`, without creating an AbortSignal. */
  readonly life?: Life;
  readonly retry: RetryState;
  /** Retries after this broken stream: counts as an attempt of L8 (back-off first), unless `immediate`. */
  readonly after?: { readonly failure: ModelFailure; readonly immediate: boolean };
  /**
   * Whether a wait of `ms` that the server asks for is too long: the call then ends as `parked`. Absent: none
   * is, and what a person would not wait for fails.
   */
  isTooLong?(ms: number): boolean;
}

/** Contract: yields outputs in order; never throws for a failed call; ends within 100 ms of abort. */
export type CallModel = (
  request: ModelRequest,
  options: CallOptions,
) => AsyncGenerator<ModelOutput, ModelOutcome>;

export type FastModeState = 'off' | 'cooldown' | 'on';

/** Why fast mode is not used. Absent: it is used, or suspended for a time. */
export type FastModeDisabledReason =
  /** The plan or organisation has no extra usage that would pay for it. */
  | 'extra_usage_disabled'
  /** The organisation has not enabled it. */
  | 'preference'
  /** `CLAUDE_CODE_DISABLE_FAST_MODE` is set. */
  | 'disabled_by_env'
  /** The caller did not request it. */
  | 'sdk_opt_in_required';

export interface FastModeStatus {
  readonly state: FastModeState;
  readonly reason?: FastModeDisabledReason;
}

/**
 * Sizes, abilities and price of a model, from settings, the built-in list or its endpoint. Sizes in tokens.
 */
export interface ModelInfo {
  /** As requests name it. */
  readonly id: string;
  readonly displayName: string;
  /** Who serves it: `firstParty`, a cloud, or the name of a configured provider. Default `firstParty`. */
  readonly provider?: string | undefined;
  /** Tokens of prompt and answer together. */
  readonly contextWindow: number;
  /** Largest output cap of a request. */
  readonly maxOutputTokens: number;
  /** The model decides itself how long it thinks. */
  readonly supportsAdaptiveThinking: boolean;
  /** It takes an effort level. */
  readonly supportsEffort: boolean;
  /** Effort of a request without an explicit one; absent: none is sent. */
  readonly defaultEffort?: EffortLevel | undefined;
  /** Thinking cannot be switched off. Default false. */
  readonly alwaysThinks?: boolean;
  /** Default false. */
  readonly supportsFastMode?: boolean;
  /** false: it takes no images, so each one is replaced by a text that names it. Default true. */
  readonly supportsImages?: boolean | undefined;
  /**
   * The endpoint itself is asked to keep answers to a schema: also beside tools, or only where the request
   * has none. Absent: a tool carries the schema.
   */
  readonly structuredOutput?: 'with_tools' | 'without_tools' | undefined;
  /** false: it takes no tools, so none are sent. Default true. */
  readonly supportsTools?: boolean | undefined;
  /**
   * Of models in no table, as their endpoint says. true: it thinks when it is asked to; false: it never does,
   * so nothing about thinking is sent. Default unknown.
   */
  readonly supportsThinking?: boolean | undefined;
  /** Knowledge cutoff in words (`June 2026`); absent if unknown. */
  readonly knowledgeCutoff?: string | undefined;
  /** USD per million tokens; undefined if unknown. */
  readonly price?: ModelPrice;
  /** Where price and sizes came from: `list`, `family`, `endpoint`, `settings` or `default`. */
  readonly source: string;
}

/** List price in USD per million tokens. */
export interface ModelPrice {
  /** Uncached input. */
  readonly input: number;
  readonly output: number;
  /** Input that is read from the prompt cache. */
  readonly cacheRead: number;
  /** Input that is written to the cache for 5 minutes. */
  readonly cacheWrite5m: number;
  /** Input that is written to the cache for an hour. */
  readonly cacheWrite1h: number;
  /** Replaces the price when the prompt has more than `aboveTokens` tokens. */
  readonly above?: { readonly aboveTokens: number; readonly price: Omit<ModelPrice, 'above'> };
  /** It is that of the newest model of the family: no list has the model itself. */
  readonly isAssumed?: true | undefined;
  /** Date or version of the list that it is from. */
  readonly asOf?: string | undefined;
  /** Where that list was published. */
  readonly publishedAt?: string | undefined;
}
