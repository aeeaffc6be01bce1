/** The headers of one request: identity, version, and the betas that its body needs. */

import type { OutgoingHttpHeaders } from 'node:http';
import type { CacheTtl } from '../../protocol/model/cache.ts';
import type { ModelRequest } from '../../protocol/model/model.ts';
import type { Credential } from '../../protocol/model/provider-wire.ts';
import { EFFORT_MESSAGES } from '../catalog/conversation-features.ts';
import { asksLongContext, LONG_CONTEXT_BETA } from '../catalog/model-info.ts';
import { MESSAGE_THREADS_BETA } from '../request/message-threads.ts';
import { FALLBACK_CREDIT_BETA, type RequestBody } from '../request/request-body.ts';
import type { EndpointGaps } from './endpoint-gaps.ts';

const API_VERSION = '2023-06-01';

const BETA = {
  longContext: LONG_CONTEXT_BETA,
  longCache: 'extended-cache-ttl-2025-04-11',
  toolReferences: 'advanced-tool-use-2025-11-20',
  compaction: 'compact-2026-09-04',
  contextManagement: 'context-management-2025-06-27',
  effort: 'effort-2025-11-24',
  effortMessages: EFFORT_MESSAGES,
  fallbackCredit: FALLBACK_CREDIT_BETA,
  fast: 'fast-mode-2026-02-01',
  messageThreads: MESSAGE_THREADS_BETA,
  interleavedThinking: 'interleaved-thinking-2025-05-14',
  taskBudgets: 'task-budgets-2026-03-13',
} as const;

interface HeaderInput {
  readonly request: ModelRequest;
  readonly body: RequestBody;
  readonly credential: Credential;
  readonly fast: boolean;
  /** The body contains an effort. */
  readonly hasEffort: boolean;
  /** Lifetime of the body's cache breakpoints; undefined: it has none. */
  readonly cacheTtl: CacheTtl | undefined;
  readonly userAgent: string;
  /** Headers of the user; they override all but the length. */
  readonly custom: Readonly<Record<string, string>>;
  /** Of the span that the request is a part of. Default none. */
  readonly traceparent?: string | undefined;
  /** What the endpoint does not know. Default nothing. */
  readonly gaps?: EndpointGaps;
}

export function requestHeaders(input: HeaderInput): OutgoingHttpHeaders {
  const { request } = input;
  const betas = listBetas(input);
  const isKnown = (name: string) => input.gaps?.lacks(name) !== true;
  return {
    'content-type': 'application/json',
    accept: request.stream ? 'text/event-stream' : 'application/json',
    ...(isKnown('x-turnwright-session-id') && { 'x-turnwright-session-id': request.sessionId }),
    ...(request.agentId !== undefined &&
      isKnown('x-turnwright-agent-id') && { 'x-turnwright-agent-id': request.agentId }),
    ...(betas.length > 0 && { 'anthropic-beta': betas.join(',') }),
    ...(input.traceparent !== undefined && { traceparent: input.traceparent }),
    ...callerHeaders(input),
    'content-length': input.body.sentLength,
  };
}

/** Headers of every request. */
export function callerHeaders({
  credential,
  userAgent,
  custom,
}: Pick<HeaderInput, 'credential' | 'userAgent' | 'custom'>): OutgoingHttpHeaders {
  const headers: OutgoingHttpHeaders = {
    // Compressed streams arrive in larger, later pieces.
    'accept-encoding': 'identity',
    'anthropic-version': API_VERSION,
    'user-agent': userAgent,
    ...(credential.apiKey !== undefined && { 'x-api-key': credential.apiKey.trim() }),
    ...(credential.authToken !== undefined && { authorization: `Bearer ${credential.authToken.trim()}` }),
  };
  for (const [name, value] of Object.entries(custom)) {
    if (name.toLowerCase() !== 'anthropic-beta') headers[name.toLowerCase()] = value;
  }
  return headers;
}

function listBetas({ request, body, fast, hasEffort, cacheTtl, custom, gaps }: HeaderInput): string[] {
  const betas = new Set(request.betas ?? []);
  for (const [name, value] of Object.entries(custom)) {
    if (name.toLowerCase() !== 'anthropic-beta') continue;
    for (const beta of value.split(',')) betas.add(beta.trim());
  }
  if (asksLongContext(request.model)) betas.add(BETA.longContext);
  if (body.thinking?.type === 'enabled' && request.tools.length > 0) betas.add(BETA.interleavedThinking);
  if (request.contextManagement !== undefined) betas.add(BETA.contextManagement);
  if (request.summarises === true) betas.add(BETA.compaction);
  if (body.changesEffort) betas.add(BETA.effortMessages);
  if (body.thread !== undefined) betas.add(BETA.messageThreads);
  if (body.defers) betas.add(BETA.toolReferences);
  if (hasEffort) betas.add(BETA.effort);
  if (cacheTtl === '1h') betas.add(BETA.longCache);
  if (request.taskBudget !== undefined) betas.add(BETA.taskBudgets);
  if (fast) betas.add(BETA.fast);
  if (request.refusalCredit !== undefined) betas.add(BETA.fallbackCredit);
  if (gaps?.lacks('anthropic-beta') === true) return [];
  return [...betas].filter((beta) => beta !== '' && gaps?.lacks(beta) !== true);
}
