/** Which answer a request gets, by its method and path. */
import { type ApiError, errorBody, notFound } from '../api-errors.ts';
import type { ModelFacts } from '../models.ts';
import type { Answer } from '../reply/answer.ts';
import type { RequestKind } from '../scenario/rehearsal-request.ts';
import {
  answerMessage,
  type Incoming,
  judgeIncoming,
  type MessageEndpointPorts,
} from './message-endpoint.ts';
import type { Verdict } from './recorded-request.ts';

interface Routed {
  readonly verdict: Verdict;
  readonly kind: RequestKind | undefined;
  readonly answer: Answer;
}

export async function routeRequest(
  method: string,
  path: string,
  incoming: Incoming,
  ports: MessageEndpointPorts,
): Promise<Routed> {
  const refuse = (error: ApiError, verdict: Verdict, kind?: RequestKind): Routed => ({
    verdict,
    kind,
    answer: json(incoming, error.status, errorBody(error, incoming.requestId), error.headers),
  });
  const served = (body: unknown): Routed => ({
    verdict: { kind: 'served' },
    kind: undefined,
    answer: json(incoming, 200, body),
  });

  if (path === '/v1/messages' && method === 'POST') {
    const outcome = await answerMessage(incoming, ports);
    return 'error' in outcome ? refuse(outcome.error, outcome.verdict, outcome.kind) : outcome;
  }
  if (path === '/v1/messages/count_tokens' && method === 'POST') {
    const { prompt, refusal } = judgeIncoming(incoming, ports, true);
    if (refusal !== undefined) return refuse(refusal.error, refusal.verdict);
    const edited =
      prompt.applied === undefined
        ? {}
        : { context_management: { original_input_tokens: prompt.originalTokens } };
    return served({ input_tokens: prompt.inputTokens, ...edited });
  }
  if (path === '/v1/models' && method === 'GET') return served(modelList(ports.models.all));
  if (path.startsWith('/v1/models/') && method === 'GET') {
    const id = decodeURIComponent(path.slice('/v1/models/'.length));
    const facts = ports.models.find(id);
    return facts === undefined
      ? refuse(notFound(`model: ${id}`), { kind: 'served' })
      : served(modelEntry(facts));
  }
  if (path === '/' && (method === 'HEAD' || method === 'GET')) return served({});
  if (path === '/v1/messages' || path === '/v1/messages/count_tokens' || path === '/v1/models') {
    return refuse(
      { status: 405, type: 'invalid_request_error', message: 'Method Not Allowed' },
      { kind: 'served' },
    );
  }
  return refuse(notFound('Not Found'), { kind: 'served' });
}

function json(incoming: Incoming, status: number, body: unknown, headers: ApiError['headers'] = {}): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json', 'request-id': incoming.requestId, ...headers },
    headersMs: 0,
    streamed: false,
    frames: [{ bytes: JSON.stringify(body) }],
  };
}

function modelList(models: readonly ModelFacts[]): object {
  return {
    data: models.map(modelEntry),
    has_more: false,
    first_id: models[0]?.id ?? null,
    last_id: models.at(-1)?.id ?? null,
  };
}

function modelEntry(facts: ModelFacts): object {
  return {
    type: 'model',
    id: facts.id,
    display_name: facts.displayName,
    created_at: '2026-01-01T00:00:00Z',
    max_input_tokens: facts.window,
    max_tokens: facts.maxOutput,
  };
}
