/** Responses that are not the API's: a status, a proxy's page, a wrong content type, an empty body. */
import { errorBody, toErrorType } from '../api-errors.ts';
import type { Fault } from './fault.ts';
import { type FaultKind, markFault } from './fault-kind.ts';

const MESSAGES: Readonly<Record<number, string>> = {
  401: 'invalid x-api-key',
  403: 'Your API key does not have permission to use the specified resource.',
  429: 'This request would exceed the rate limit for your organization.',
  500: 'Internal server error',
  529: 'Overloaded',
};

export const httpStatus: FaultKind = {
  answer(answer, fault) {
    const status = fault.status ?? 529;
    const error = {
      type: fault.type ?? toErrorType(status),
      message: fault.message ?? MESSAGES[status] ?? `Error ${status}`,
    };
    const headers = { ...answer.headers, 'content-type': 'application/json', ...retryHeaders(fault) };
    const bytes = JSON.stringify(errorBody(error, answer.headers['request-id'] ?? ''));
    return markFault({ ...answer, status, headers, streamed: false, frames: [{ bytes }] }, fault);
  },
};

export const htmlErrorPage: FaultKind = {
  answer(answer, fault) {
    const status = fault.status ?? 502;
    const bytes = `<html>\r\n<head><title>${status} Bad Gateway</title></head>\r\n<body>\r\n<center><h1>${status} Bad Gateway</h1></center>\r\n<hr><center>nginx</center>\r\n</body>\r\n</html>\r\n`;
    const headers = { 'content-type': 'text/html', server: 'nginx', ...retryHeaders(fault) };
    return markFault({ ...answer, status, headers, streamed: false, frames: [{ bytes }] }, fault);
  },
};

export const wrongContentType: FaultKind = {
  answer(answer, fault) {
    return markFault(
      { ...answer, headers: { ...answer.headers, 'content-type': fault.contentType ?? 'text/plain' } },
      fault,
    );
  },
};

export const emptyBody: FaultKind = {
  answer(answer, fault) {
    return markFault({ ...answer, frames: [{ bytes: '' }] }, fault);
  },
};

function retryHeaders(fault: Fault): Record<string, string> {
  return {
    ...(fault.retryAfter === undefined ? {} : { 'retry-after': fault.retryAfter }),
    ...(fault.shouldRetry === undefined ? {} : { 'x-should-retry': String(fault.shouldRetry) }),
    ...fault.headers,
  };
}
