/**
 * Errors of OpenAI-compatible servers. Status and wording are read as for the Messages API, then their codes.
 */

import { readJson } from '@turnwright/base/bounded-json.ts';
import type { FailureKind, ModelFailure } from '../../protocol/model/failure.ts';
import type { HttpHead, ResponseHeaders } from '../../protocol/model/provider-wire.ts';
import { classifyAnswer, classifyStreamError } from '../retry/classify-error.ts';
import { type Fields, fieldsIn, listIn, textIn } from './fields.ts';

/** Codes that say more than the status. */
const KIND_OF_CODE: Readonly<Record<string, FailureKind>> = {
  context_length_exceeded: 'prompt_too_long',
  model_not_found: 'not_found',
  invalid_api_key: 'authentication',
  rate_limit_exceeded: 'rate_limited',
  server_is_overloaded: 'overloaded',
  slow_down: 'overloaded',
  engine_overloaded: 'overloaded',
  engine_overloaded_error: 'overloaded',
  invalid_encrypted_content: 'invalid_signature',
};
/** Money, not pace: a retry does not help. */
const BILLING = /^(?:insufficient_quota|billing_hard_limit_reached|billing_not_active)$/;
/** Requested tokens above the limit per minute: waiting does not help, a shorter prompt does. */
const REQUEST_ABOVE_RATE = /request too large.{0,200}?limit:? ?(\d+),? requested:? ?(\d+)/is;
const BAD_KEY = /api[ _-]?key (?:not valid|is invalid|not found)|incorrect api key/i;
const TRY_AGAIN = /(?:try again|retry) (?:in|after) (?:(\d+)m)?(\d+(?:\.\d+)?)(ms|s)\b/i;

/** A response with an error status, or a 200 whose JSON is an error. */
export function classifyOpenAi(head: HttpHead, text: string, nowMs: number): ModelFailure {
  const unwrapped = inList(text);
  return refined(classifyAnswer(head, unwrapped ?? text, nowMs), errorIn(readJson(unwrapped ?? text)));
}

/** An error inside a stream: `error` beside or instead of the chunk. */
export function classifyStreamed(event: Fields, headers: ResponseHeaders): ModelFailure {
  const error = errorIn(event) ?? event;
  const status = statusIn(error);
  if (status === undefined)
    return refined(
      classifyStreamError(
        { error: { ...error, type: textIn(error, 'type') || textIn(error, 'code') } },
        headers,
      ),
      error,
    );
  // A gateway passes on the status of its provider.
  const failure = classifyAnswer({ status, headers }, JSON.stringify({ error }), 0);
  const kind = failure.kind === 'server_error' || failure.kind === 'timeout' ? 'stream_error' : failure.kind;
  return refined({ ...failure, kind, message: `The stream reported an error: ${failure.message}` }, error);
}

function refined(failure: ModelFailure, error: Fields | undefined): ModelFailure {
  const code = textIn(error, 'code') || textIn(error, 'type');
  const { message } = failure;
  if (BILLING.test(textIn(error, 'code')) || BILLING.test(textIn(error, 'type')))
    return { ...failure, kind: 'permission', errorType: 'billing_error' };
  const above = REQUEST_ABOVE_RATE.exec(message);
  if (above !== null)
    return {
      ...failure,
      kind: 'prompt_too_long',
      tokens: { limit: Number(above[1]), input: Number(above[2]) },
    };
  // Prompt and output together, or the prompt alone: the wording was read already.
  if (failure.kind === 'output_over_window' || failure.kind === 'prompt_too_long') return failure;
  if (failure.kind === 'server_error' && failure.status === 503 && /overload|slow down/i.test(message))
    return { ...failure, kind: 'overloaded' };
  const kind = KIND_OF_CODE[code] ?? (BAD_KEY.test(message) ? 'authentication' : failure.kind);
  const waitMs = kind === 'rate_limited' ? (failure.retryAfterMs ?? retryDelayMs(error, message)) : undefined;
  return { ...failure, kind, ...(waitMs !== undefined && { retryAfterMs: waitMs }) };
}

/** The delay that an error names in words, or in Google's `RetryInfo`. */
function retryDelayMs(error: Fields | undefined, message: string): number | undefined {
  for (const detail of listIn(error?.['details'])) {
    const delay = /^(\d+(?:\.\d+)?)s$/.exec(textIn(fieldsIn(detail), 'retryDelay'));
    if (delay !== null) return Number(delay[1]) * 1000;
  }
  const match = TRY_AGAIN.exec(message);
  if (match === null) return undefined;
  const [, minutes = '0', amount, unit] = match;
  return Math.ceil(Number(minutes) * 60_000 + Number(amount) * (unit === 'ms' ? 1 : 1000));
}

/** Google wraps its errors in a list of one. */
function inList(text: string): string | undefined {
  const first = listIn(readJson(text))[0];
  return first === undefined ? undefined : JSON.stringify(first);
}

function errorIn(body: unknown): Fields | undefined {
  const fields = fieldsIn(body);
  return fieldsIn(fields?.['error']) ?? fieldsIn(fieldsIn(fields?.['response'])?.['error']);
}

function statusIn(error: Fields): number | undefined {
  const value = Number(error['code'] ?? error['status']);
  return Number.isInteger(value) && value >= 400 && value < 600 ? value : undefined;
}
