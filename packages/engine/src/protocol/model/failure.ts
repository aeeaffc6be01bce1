/**
 * A failed model call, classified once at the wire (`model/retry/classify-error.ts`) and carried as a value.
 * Nothing downstream recognises a failure by its text.
 */
export type FailureKind =
  | 'prompt_too_long'
  | 'media_too_large'
  | 'output_over_window' // "input length and max_tokens exceed context limit"
  | 'invalid_signature'
  | 'overloaded'
  | 'rate_limited'
  | 'authentication'
  | 'token_revoked'
  | 'cloud_credentials'
  | 'permission'
  | 'not_found'
  | 'invalid_request'
  | 'server_error'
  | 'timeout' // no response headers in time
  | 'connection' // refused, reset or unreachable before a response
  | 'cut' // the stream ended without its terminal event
  | 'stalled' // silence, or no content, beyond the limit
  | 'stream_error' // an SSE `error` event
  | 'protocol' // bytes that are not the Messages API
  | 'budget' // the ledger refused the call
  | 'unknown';

/** A failed model call, classified once. Recovery decides by `kind`. */
export interface ModelFailure {
  readonly kind: FailureKind;
  /** A sentence that says what failed and what to do. */
  readonly message: string;
  /** HTTP status; absent without a response. */
  readonly status?: number;
  /** The API's own error type, e.g. `overloaded_error`. */
  readonly errorType?: string;
  /** The API's id of the request. */
  readonly requestId?: string;
  /** Delay requested by the server, in ms; undefined when absent or unreadable. */
  readonly retryAfterMs?: number;
  /** `x-should-retry`, if the server sent it. */
  readonly shouldRetry?: boolean;
  /** Figures from the error: tokens sent, tokens requested, and the limit. */
  readonly tokens?: { readonly input?: number; readonly maxTokens?: number; readonly limit?: number };
  /** The content block that the error names, by its place in the request and, once located, in the view. */
  readonly block?: {
    readonly message: number;
    readonly content: number;
    /** Index among the parts of a tool result. */
    readonly inner?: number;
    readonly at?: { readonly uuid: string; readonly index: number; readonly inner?: number };
  };
  /** Index in the request's list of tools that the error names (F153). */
  readonly tool?: number;
  /** The endpoint does not take the `outputSchema` of the request. */
  readonly outputSchema?: true;
  /** The error underneath, for debugging. */
  readonly cause?: unknown;
}

/** `error` on an SDK assistant message. */
export type AssistantErrorKind =
  | 'authentication_failed'
  | 'billing_error'
  | 'rate_limit'
  | 'overloaded'
  | 'invalid_request'
  | 'model_not_found'
  | 'server_error'
  | 'unknown'
  | 'max_output_tokens'
  | 'cloud_credential_error';
