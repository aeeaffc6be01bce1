/**
 * The one place where a failed call becomes a `ModelFailure`: from a status and body, an SSE error, a socket
 * error, a time-out.
 */

import type { AssistantErrorKind, FailureKind, ModelFailure } from '../../protocol/model/failure.ts';
import type { HttpHead, ResponseHeaders } from '../../protocol/model/provider-wire.ts';
import type { Trip } from '../stream/stream-watch.ts';
import { type ErrorBody, parseErrorBody } from './error-body.ts';
import {
  blockWording,
  isBillingWording,
  isCloudCredentialWording,
  isMediaWording,
  isRevokedWording,
  isSchemaWording,
  isSignatureWording,
  overWindowWording,
  type TokenNumbers,
  tooLongWording,
} from './error-wordings.ts';
import { retryAfterMs } from './retry-after.ts';

/** Statuses of the API's error types when they come inside a stream. */
const STATUS_OF_TYPE: Readonly<Record<string, number>> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  timeout_error: 408,
  request_too_large: 413,
  rate_limit_error: 429,
  overloaded_error: 529,
};

/** A response with an error status, or a 200 whose JSON is an error. */
export function classifyAnswer(head: HttpHead, text: string, nowMs: number): ModelFailure {
  const body = parseErrorBody(text, head.headers['content-type']);
  const status = head.status >= 400 ? head.status : (STATUS_OF_TYPE[body.type ?? ''] ?? 500);
  if (head.status >= 300 && head.status < 400) {
    return protocolFailure(
      `The endpoint redirects (${head.status}) to ${where(head.headers['location'])}. Check the base URL.`,
      head,
    );
  }
  const { kind, tokens, errorType } = classifyResponse(status, body);
  const retryAfter = retryAfterMs(head.headers, nowMs);
  const should = head.headers['x-should-retry'];
  return {
    kind,
    message: sentence(kind, body),
    status: head.status,
    ...(errorType !== undefined && { errorType }),
    ...toRequestIdField(head.headers, body.requestId),
    ...(retryAfter !== undefined && { retryAfterMs: retryAfter }),
    ...((should === 'true' || should === 'false') && { shouldRetry: should === 'true' }),
    ...(tokens !== undefined && { tokens }),
    ...namedBlock(head.status, body),
    ...(kind === 'invalid_request' && namedTool(head.status, body)),
    ...(kind === 'invalid_request' && isSchemaWording(body.message) && { outputSchema: true }),
  };
}

/** The block that a refusal names. */
function namedBlock(status: number, { message }: ErrorBody): Pick<ModelFailure, 'block'> {
  const block = status === 400 ? blockWording(message) : undefined;
  return block === undefined ? {} : { block };
}

/** The tool that a refusal names: `tools.3.custom.input_schema: …`. */
function namedTool(status: number, { message }: ErrorBody): Pick<ModelFailure, 'tool'> {
  const place = status === 400 ? /\btools(?:\.(\d+)\b|\[(\d+)\])/.exec(message) : null;
  return place === null ? {} : { tool: Number(place[1] ?? place[2]) };
}

/**
 * An `error` event inside a stream. `overloaded` counts towards the fallback of L8; everything else without a
 * kind of its own is `stream_error`.
 */
export function classifyStreamError(data: unknown, headers: ResponseHeaders): ModelFailure {
  const body = parseErrorBody(JSON.stringify(data), 'application/json');
  const status = STATUS_OF_TYPE[body.type ?? ''] ?? 500;
  const { kind, tokens, errorType } = classifyResponse(status, body);
  return {
    kind: kind === 'server_error' || kind === 'timeout' ? 'stream_error' : kind,
    message: `The stream reported an error: ${body.message}`,
    ...(errorType !== undefined && { errorType }),
    ...toRequestIdField(headers, body.requestId),
    ...(tokens !== undefined && { tokens }),
  };
}

function classifyResponse(
  status: number,
  body: ErrorBody,
): { kind: FailureKind; tokens?: TokenNumbers; errorType?: string } {
  const text = `${body.type ?? ''} ${body.message}`;
  const errorType = body.type;
  const as = (kind: FailureKind, tokens?: TokenNumbers, type = errorType) => ({
    kind,
    ...(tokens !== undefined && { tokens }),
    ...(type !== undefined && { errorType: type }),
  });
  if (status === 529 || errorType === 'overloaded_error') return as('overloaded');
  if (status === 429) return as('rate_limited');
  if (status === 408) return as('timeout');
  if (status === 409) return as('server_error');
  if (isCloudCredentialWording(text)) return as('cloud_credentials');
  if (status === 401) return as('authentication');
  if (status === 403 && isBillingWording(text)) return as('permission', undefined, 'billing_error');
  if (status === 403) return as(isRevokedWording(text) ? 'token_revoked' : 'permission');
  if (status === 402) return as('permission', undefined, 'billing_error');
  if (status === 404) return as('not_found');
  if (status < 500 && isMediaWording(text)) return as('media_too_large');
  const overWindow = overWindowWording(text);
  if (overWindow !== undefined) return as('output_over_window', overWindow);
  // Some local servers report an overflow as a server error (F28).
  const tooLong = tooLongWording(text);
  if (tooLong !== undefined || status === 413) return as('prompt_too_long', { ...body.tokens, ...tooLong });
  if (status >= 500) return as('server_error');
  if (isSignatureWording(text)) return as('invalid_signature');
  if (isBillingWording(text)) return as('invalid_request', undefined, 'billing_error');
  return as('invalid_request');
}

/** An error of a socket, of name resolution or of TLS, before or inside a response. */
export function classifyConnectionError(error: Error): ModelFailure {
  const code = errorCode(error);
  const shared = { message: connectionSentence(error, code), cause: error };
  if (code.startsWith('ERR_INVALID') || code === 'ERR_UNESCAPED_CHARACTERS') {
    return { ...shared, kind: 'invalid_request', shouldRetry: false };
  }
  return { ...shared, kind: 'connection', ...(isHopeless(code) && { shouldRetry: false }) };
}

/** The socket was closed under the request: a new one may work, a pooled one may not (L8). */
export function isReset(failure: ModelFailure): boolean {
  return (
    (failure.kind === 'connection' || failure.kind === 'cut') &&
    ['ECONNRESET', 'EPIPE'].includes(errorCode(failure.cause))
  );
}

/** The response had begun and ended without its terminal event. */
export function cutFailure(head: HttpHead, cause: unknown): ModelFailure {
  return {
    kind: 'cut',
    message: 'The connection broke before the answer was complete.',
    ...toRequestIdField(head.headers, undefined),
    ...(cause !== undefined && { cause }),
  };
}

export function classifyTrip(trip: Trip): ModelFailure {
  const after =
    trip.afterMs >= 120_000
      ? `${Math.round(trip.afterMs / 60_000)} minutes`
      : `${Math.round(trip.afterMs / 1000)} seconds`;
  if (trip.slept) {
    return {
      kind: 'stalled',
      message:
        'The clock leapt while waiting for the answer: the machine slept and the connection is taken for lost.',
    };
  }
  switch (trip.phase) {
    case 'connect':
      return { kind: 'connection', message: `No connection within ${after}.` };
    case 'headers':
      return { kind: 'timeout', message: `The endpoint did not begin to answer within ${after}.` };
    case 'first_byte':
    case 'idle':
      return { kind: 'stalled', message: `The stream was silent for ${after}.` };
    case 'content':
      return { kind: 'stalled', message: `The stream brought no content for ${after}.` };
  }
}

/** Bytes that are not the Messages API. `retry` false: the same would come again. */
export function protocolFailure(message: string, head: HttpHead, retry = false): ModelFailure {
  return {
    kind: 'protocol',
    message,
    status: head.status,
    ...toRequestIdField(head.headers, undefined),
    ...(!retry && { shouldRetry: false }),
  };
}

function toRequestIdField(headers: ResponseHeaders, fromBody: string | undefined): { requestId?: string } {
  const requestId = requestIdOf({ headers }) ?? fromBody;
  return requestId === undefined ? {} : { requestId };
}

/** The kind of a failure on the SDK stream. */
export function assistantErrorKind(failure: ModelFailure): AssistantErrorKind {
  if (failure.errorType === 'billing_error') return 'billing_error';
  switch (failure.kind) {
    case 'authentication':
    case 'token_revoked':
    case 'permission':
      return 'authentication_failed';
    case 'cloud_credentials':
      return 'cloud_credential_error';
    case 'rate_limited':
      return 'rate_limit';
    case 'overloaded':
      return 'overloaded';
    case 'not_found':
      return 'model_not_found';
    case 'invalid_request':
    case 'invalid_signature':
    case 'prompt_too_long':
    case 'media_too_large':
    case 'output_over_window':
      return 'invalid_request';
    case 'server_error':
    case 'stream_error':
      return 'server_error';
    case 'timeout':
    case 'connection':
    case 'cut':
    case 'stalled':
    case 'protocol':
    case 'budget':
    case 'unknown':
      return 'unknown';
  }
}

/** Without the status, which the message that shows the failure puts in front. */
function sentence(kind: FailureKind, body: ErrorBody): string {
  const said = body.message;
  switch (kind) {
    case 'authentication':
      return `The API refused the credentials: ${said}. Check the API key or token.`;
    case 'token_revoked':
      return `The API token was revoked: ${said}. Log in again.`;
    case 'not_found':
      return `Not found: ${said}. Check the model's name and the base URL.`;
    default:
      return said;
  }
}

function connectionSentence(error: Error, code: string): string {
  if ('isOfProxy' in error) return error.message;
  if (/wrong version number/.test(error.message))
    return 'The endpoint does not speak TLS. Should the base URL begin with http:// in place of https://?';
  switch (code) {
    case 'ECONNREFUSED':
      return `The endpoint${formatAddress(error)} refuses connections. Is the base URL right, and the server running?`;
    case 'ENOTFOUND':
    case 'EAI_AGAIN':
      return `The endpoint\u2019s host name${formatAddress(error)} could not be resolved. Check the base URL and the network.`;
    case 'ECONNRESET':
    case 'EPIPE':
      return 'The connection was reset.';
    default:
      return error.message === ''
        ? `The connection failed (${code}).`
        : `The connection failed: ${error.message}`;
  }
}

/** The address in Node's errors; '' if there is none. */
function formatAddress(error: Error): string {
  const first: unknown = error instanceof AggregateError ? error.errors[0] : error;
  const { address, port, hostname } = (first ?? error) as {
    readonly address?: string;
    readonly port?: number;
    readonly hostname?: string;
  };
  const host = address?.includes(':') ? `[${address}]` : (address ?? hostname);
  return host === undefined ? '' : ` (${host}${port === undefined ? '' : `:${port}`})`;
}

/** Errors of certificates and refusals of a proxy: a retry does not help. */
function isHopeless(code: string): boolean {
  return /CERT|SELF_SIGNED|UNABLE_TO_VERIFY|^ERR_TLS|^ERR_PROXY_REFUSED|^ERR_SSL/.test(code);
}

export function errorCode(error: unknown): string {
  if (typeof error !== 'object' || error === null) return '';
  const own = 'code' in error && typeof error.code === 'string' ? error.code : '';
  // A host with several addresses fails with one error that contains theirs.
  if (own === '' && error instanceof AggregateError) return errorCode(error.errors[0]);
  return own;
}

function where(location: string | undefined): string {
  if (location === undefined) return 'nowhere';
  return location.split('?', 1)[0] ?? location;
}

/** Of the Messages API and gateways, AWS, and Azure. */
const REQUEST_ID_HEADERS = ['request-id', 'x-request-id', 'x-amzn-requestid', 'apim-request-id'];

/** The server's request id, in whichever header it is. */
export function requestIdOf({ headers }: Pick<HttpHead, 'headers'>): string | undefined {
  for (const name of REQUEST_ID_HEADERS) if (headers[name] !== undefined) return headers[name];
  return undefined;
}
