import type { WireError } from '@turnwright/engine/protocol/model/wire.ts';

/** An error in the API's own shape. */
export interface ApiError {
  readonly status: number;
  readonly type: string;
  readonly message: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** For programs. */
  readonly details?: Readonly<Record<string, string>>;
}

export function invalidRequest(message: string): ApiError {
  return { status: 400, type: 'invalid_request_error', message };
}

export function notFound(message: string): ApiError {
  return { status: 404, type: 'not_found_error', message };
}

export function errorBody(
  { type, message, details }: Pick<ApiError, 'type' | 'message' | 'details'>,
  requestId: string,
): WireError {
  const error = { type, message, ...(details !== undefined && { details }) };
  return { type: 'error', error, request_id: requestId };
}

/** The error type for a status, when a scenario names only the status. */
export function toErrorType(status: number): string {
  switch (status) {
    case 400:
      return 'invalid_request_error';
    case 401:
      return 'authentication_error';
    case 402:
      return 'billing_error';
    case 403:
      return 'permission_error';
    case 404:
      return 'not_found_error';
    case 413:
      return 'request_too_large';
    case 429:
      return 'rate_limit_error';
    case 504:
      return 'timeout_error';
    case 529:
      return 'overloaded_error';
    default:
      return status >= 500 ? 'api_error' : 'invalid_request_error';
  }
}
