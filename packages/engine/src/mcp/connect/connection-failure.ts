/** Classifies failures of the communication with a server. */
import { isRecord } from '@turnwright/base/json-values.ts';
import { errorText } from '@turnwright/base/text/error-text.ts';
import { DeadlineError } from './deadlines.ts';

/** The connection ended before the answer arrived. */
export class ConnectionLostError extends Error {}
/** The request never reached the server: it can be repeated. */
export class NotDeliveredError extends Error {}
/** The authorization server did not renew the token that a request needs. The server did nothing. */
export class NotRenewedError extends Error {}
/** The token does not have a scope that this request needs. The server did nothing. */
export class NeedsScopeError extends Error {}
/** The response broke off. */
export class AnswerLostError extends Error {
  constructor() {
    super('the connection broke off before its answer');
  }
}
/** The server answered what the protocol does not allow, or this client does not support. */
export class ResultError extends Error {}

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

export function classifyFailure(error: unknown): McpFailure {
  if (error instanceof DeadlineError) return { kind: 'deadline', error };
  if (error instanceof ConnectionLostError) return { kind: 'lost', message: error.message };
  const message = errorText(error);
  const causes = listCauses(error);
  // The other server, if it cannot be reached, is a cause of it.
  const notRenewed = causes.find((cause) => cause instanceof NotRenewedError);
  if (notRenewed !== undefined) return { kind: 'not_renewed', message: notRenewed.message };
  const needsScope = causes.find((cause) => cause instanceof NeedsScopeError);
  if (needsScope !== undefined) return { kind: 'needs_scope', message: needsScope.message };
  if (causes.some((cause) => cause instanceof NotDeliveredError)) return { kind: 'not_delivered', message };
  const { code, data } = error as { readonly code?: unknown; readonly data?: unknown };
  const status = httpStatus(error);
  if (status === undefined) {
    const answered = typeof code === 'number' && message.startsWith('MCP error');
    const details = answered && data !== undefined ? ` ${JSON.stringify(data)}` : '';
    const isAnswer = answered || error instanceof ResultError;
    return { kind: isAnswer ? 'answered' : 'lost', message: withoutPrefix(message) + details };
  }
  if (status === 401 || status === 403)
    return { kind: 'unauthorized', message: `The server wants authorization (HTTP ${status}).` };
  const said = readText(data) ?? message;
  // Some servers answer an unknown session with 400.
  if (status === 404 || (status === 400 && /session/i.test(said)))
    return { kind: 'session_gone', message: refusalText(status, said) };
  return { kind: status >= 300 && status < 500 ? 'answered' : 'lost', message: refusalText(status, said) };
}

function refusalText(status: number, said: string): string {
  if (status >= 300 && status < 400) return `HTTP ${status}: a redirect, which is not followed`;
  return said.trim() === '' ? `HTTP ${status}` : `HTTP ${status}: ${said.trim()}`;
}

/** Removes the library's prefix, which some servers send as part of their message. */
export function withoutPrefix(message: string): string {
  return message.replace(/^(?:MCP error -?\d+: )+/, '');
}

/** As the transports of the library tell it: in the error's data, in its code, or in its text alone. */
function httpStatus(error: unknown): number | undefined {
  const { name, code, data, message } = error as {
    readonly name?: unknown;
    readonly code?: unknown;
    readonly data?: { readonly status?: unknown };
    readonly message?: unknown;
  };
  if (name === 'InsufficientScopeError') return 403;
  if (name === 'UnauthorizedError') return 401;
  if (name === 'SdkHttpError' && typeof data?.status === 'number') return data.status;
  const inText = /\bHTTP (\d{3})\b/.exec(String(message))?.[1];
  if (inText !== undefined) return Number(inText);
  return /^SSE error/.test(String(message)) && typeof code === 'number' && code >= 100 ? code : undefined;
}

/** The body of a response that refuses. */
function readText(data: unknown): string | undefined {
  const text = isRecord(data) ? data['text'] : undefined;
  return typeof text === 'string' ? text : undefined;
}

function listCauses(error: unknown): readonly Error[] {
  const chain: Error[] = [];
  for (let at = error; at instanceof Error && chain.length < 5; at = at.cause) chain.push(at);
  return chain;
}
