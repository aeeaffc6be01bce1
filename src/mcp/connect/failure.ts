/** Classifies failures of the communication with a server. */
import { errorText } from '../../util/text/error-text.ts';
import { DeadlineError } from './deadlines.ts';

/** The connection ended before the answer arrived. */
export class ConnectionLostError extends Error {}
/** The request never reached the server: it can be repeated. */
export class NotDeliveredError extends Error {}
/** The authorization server did not renew the token that a request needs. The server did nothing. */
export class NotRenewedError extends Error {}
/** The token does not have a scope that this request needs. The server did nothing. */
export class NeedsScopeError extends Error {}
/** Marks, in the error's data, a response that broke off. */
export const ANSWER_LOST = 'turnwright/answer_lost';

type McpFailure =
  /** The request did not arrive: repeating it is safe. */
  | { readonly kind: 'not_delivered'; readonly message: string }
  /** The server no longer knows the session, and did nothing (F81). */
  | { readonly kind: 'session_gone'; readonly message: string }
  | { readonly kind: 'unauthorized'; readonly message: string }
  /** The authorization server failed, and the server did nothing: the connection stays as it is. */
  | { readonly kind: 'not_renewed'; readonly message: string }
  /** Other requests are served, and a login that asks for more makes this one possible. */
  | { readonly kind: 'needs_scope'; readonly message: string }
  /** The call may or may not have taken effect. */
  | { readonly kind: 'lost'; readonly message: string }
  | { readonly kind: 'deadline'; readonly error: DeadlineError }
  /** The server's own answer: an error of the protocol, or a refusal of HTTP. */
  | { readonly kind: 'answered'; readonly message: string };

export function failureOf(error: unknown): McpFailure {
  if (error instanceof DeadlineError) return { kind: 'deadline', error };
  if (error instanceof ConnectionLostError) return { kind: 'lost', message: error.message };
  const message = errorText(error);
  const causes = causesOf(error);
  // The other server, if it cannot be reached, is a cause of it.
  const notRenewed = causes.find((cause) => cause instanceof NotRenewedError);
  if (notRenewed !== undefined) return { kind: 'not_renewed', message: notRenewed.message };
  const needsScope = causes.find((cause) => cause instanceof NeedsScopeError);
  if (needsScope !== undefined) return { kind: 'needs_scope', message: needsScope.message };
  if (causes.some((cause) => cause instanceof NotDeliveredError)) return { kind: 'not_delivered', message };
  const { code, data } = error as { readonly code?: unknown; readonly data?: unknown };
  if (data === ANSWER_LOST) return { kind: 'lost', message: 'the connection broke off before its answer' };
  const status = httpStatus(code, message);
  if (status === undefined) {
    const answered = typeof code === 'number' && message.startsWith('MCP error');
    const details = answered && data !== undefined ? ` ${JSON.stringify(data)}` : '';
    return { kind: answered ? 'answered' : 'lost', message: withoutPrefix(message) + details };
  }
  if (status === 401 || status === 403)
    return { kind: 'unauthorized', message: `The server wants authorization (HTTP ${status}).` };
  // Some servers answer an unknown session with 400.
  if (status === 404 || (status === 400 && /session/i.test(message)))
    return { kind: 'session_gone', message };
  return { kind: status >= 300 && status < 500 ? 'answered' : 'lost', message };
}

/** Removes the library's prefix, which some servers send as part of their message. */
export function withoutPrefix(message: string): string {
  return message.replace(/^(?:MCP error -?\d+: )+/, '');
}

function httpStatus(code: unknown, message: string): number | undefined {
  const inText = /\bHTTP (\d{3})\b/.exec(message)?.[1];
  if (inText !== undefined) return Number(inText);
  if (!/^(?:Streamable HTTP|SSE) error/.test(message)) return undefined;
  return typeof code === 'number' && code >= 100 && code < 600 ? code : undefined;
}

function causesOf(error: unknown): readonly Error[] {
  const chain: Error[] = [];
  for (let at = error; at instanceof Error && chain.length < 5; at = at.cause) chain.push(at);
  return chain;
}
