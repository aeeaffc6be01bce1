/** The Messages API on loopback. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '../util/clock.ts';
import { isOfThisMachine, refusedHost } from '../util/host-header.ts';
import { http } from '../util/node.ts';
import { errorText } from '../util/text/error-text.ts';
import { createPromptCache } from './accounting/prompt-cache.ts';
import { type ApiError, errorBody, notFound } from './api-error.ts';
import { deliver } from './http/deliver.ts';
import {
  answerMessage,
  type Incoming,
  judgeIncoming,
  type MessageEndpointPorts,
} from './http/message-endpoint.ts';
import type { RecordedRequest, Verdict } from './http/recorded-request.ts';
import type { TimelineEvent, TimelineFact } from './http/timeline.ts';
import { RULES } from './judge/index.ts';
import { type ModelFacts, modelCatalogue } from './models.ts';
import { checkOptions, type RehearsalOptions } from './options.ts';
import type { Answer } from './reply/answer.ts';
import { isRecord } from './request/api-request.ts';
import { holdThreads } from './request/held-threads.ts';
import { kindOf, type RequestKind } from './scenario/rehearsal-request.ts';
import type { Scenario, ScenarioFunction } from './scenario/scenario.ts';
import { sessionKeyOf } from './scenario/session-key.ts';
import { createSessionBook, type UnusedReply } from './session-book.ts';

/** Problems of a run: rejected and unanswered requests, and replies that were not used. All empty: none. */
export interface RehearsalReport {
  /** Replies of the script that no request asked for. */
  readonly unusedReplies: readonly UnusedReply[];
  /** Requests for which the scenario had no reply. */
  readonly unanswered: readonly { readonly request: number; readonly message: string }[];
  /** Requests that the judge refused; `house`: by a rule that the real API does not have. */
  readonly rejected: readonly {
    readonly request: number;
    /** Name of the rule that the request broke. */
    readonly rule: string;
    readonly house: boolean;
    readonly message: string;
  }[];
}

/** A running rehearsal server. */
export interface RehearsalServer {
  /** Base URL: `http://127.0.0.1:<port>`. */
  readonly url: string;
  /** In the order of arrival. */
  readonly requests: readonly RecordedRequest[];
  /** Events in the order of time. */
  readonly timeline: readonly TimelineEvent[];
  /** The problems so far. */
  report(): RehearsalReport;
  /** Replaces the scenario of sessions that no entry of `scenarios` matches; every session starts anew. */
  setScenario(scenario: Scenario | ScenarioFunction): void;
  /** Clears requests, timeline, sessions and cache, and keeps listening. */
  clear(): void;
  /** Stops listening and destroys open sockets. */
  close(): Promise<void>;
}

const DEFAULT_HELD_THREADS = 1000;

type Open = { -readonly [K in keyof RecordedRequest]: RecordedRequest[K] };

/**
 * Starts the server on 127.0.0.1.
 *
 * @throws TurnwrightError `invalid_option`; Node's error when the port is taken.
 * @example
 * ```ts
 * const server = await startRehearsal({ scenario: { name: 'hello', replies: [reply('Hello.')] } });
 * process.env.ANTHROPIC_BASE_URL = server.url;
 * ```
 */
export async function startRehearsal(options: RehearsalOptions = {}): Promise<RehearsalServer> {
  checkOptions(options);
  const clock = options.clock ?? systemClock;
  const lenient = new Set(options.lenient);
  const sessions = createSessionBook(options.scenario, options.scenarios ?? []);
  const cache = createPromptCache(() => clock.nowMs());
  const ports: MessageEndpointPorts = {
    rules: RULES.filter((rule) => !lenient.has(rule.name)),
    models: modelCatalogue(options.windows, options.models),
    cache,
    sessions,
    chaos: options.chaos,
    threads: holdThreads(options.heldThreads ?? DEFAULT_HELD_THREADS),
    requiredKey: options.apiKey,
    thoughtCalls: new Set(),
    kindOf: options.kindOf ?? kindOf,
  };
  const requests: Open[] = [];
  const timeline: TimelineEvent[] = [];
  let arrived = 0;

  const serve = async (message: IncomingMessage, response: ServerResponse): Promise<void> => {
    arrived += 1;
    const number = arrived;
    const note = (fact: TimelineFact) => {
      const event: TimelineEvent = { atMs: clock.monotonicMs(), request: number, ...fact };
      timeline.push(event);
      options.onEvent?.(event);
    };
    const [path = '/', query = ''] = (message.url ?? '/').split('?', 2);
    const method = message.method ?? 'GET';
    const arrivedMs = clock.nowMs();
    const arrivedMonotonicMs = clock.monotonicMs();
    note({ kind: 'request_arrived', method, path });
    const bytes = await readBody(message);
    if (bytes === undefined) return;
    const { value: body, error: jsonError } =
      bytes.length === 0 ? { value: undefined, error: 'the body is empty' } : parseJson(bytes);
    const { headers } = message;
    const record = isRecord(body) ? body : {};
    const session = options.sessionOf?.({ headers, body: record }) ?? sessionKeyOf(headers, record);
    const open: Open = {
      number,
      method,
      path,
      query,
      headers,
      body,
      bytes: bytes.length,
      arrivedMs,
      arrivedMonotonicMs,
      session,
      kind: undefined,
      verdict: { kind: 'pending' },
    };
    requests.push(open);
    const requestId = `req_rehearsal_${String(number).padStart(6, '0')}`;
    const incoming: Incoming = { number, requestId, headers, body, jsonError, bytes: bytes.length, session };
    const routed = await route(method, path, incoming, ports);
    open.verdict = routed.verdict;
    open.kind = routed.kind;
    await deliver(response, routed.answer, { clock, note });
  };

  const server = http.createServer({ keepAliveTimeout: 0, requestTimeout: 0 }, (message, response) => {
    const { host, origin } = message.headers;
    const refused = refusedHost({ host, origin, isLocal: isOfThisMachine(message.socket) });
    if (refused === undefined) void serve(message, response);
    else response.writeHead(403, { connection: 'close' }).end(`${refused}\n`);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;

  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    timeline,
    report: () => ({
      unusedReplies: sessions.unused(),
      unanswered: requests.flatMap(({ number, verdict }) =>
        verdict.kind === 'unanswered' ? [{ request: number, message: verdict.message }] : [],
      ),
      rejected: requests.flatMap(({ number, verdict }) =>
        verdict.kind === 'rejected'
          ? [{ request: number, rule: verdict.rule, house: verdict.house, message: verdict.message }]
          : [],
      ),
    }),
    setScenario: (scenario) => sessions.setScenario(scenario),
    clear() {
      requests.length = 0;
      timeline.length = 0;
      sessions.clear();
      cache.clear();
      ports.thoughtCalls.clear();
      ports.threads.clear();
    },
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** The complete body; undefined when the client disconnected before its end. */
function readBody(request: IncomingMessage): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => resolve(chunks.length === 1 ? chunks[0] : Buffer.concat(chunks)));
    request.on('error', () => resolve(undefined));
    request.on('close', () => resolve(undefined));
  });
}

function parseJson(body: Buffer): { readonly value: unknown; readonly error?: string } {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'));
    const isObject = typeof value === 'object' && value !== null && !Array.isArray(value);
    return isObject ? { value } : { value, error: 'expected an object' };
  } catch (error) {
    return { value: undefined, error: errorText(error) };
  }
}

interface Routed {
  readonly verdict: Verdict;
  readonly kind: RequestKind | undefined;
  readonly answer: Answer;
}

async function route(
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
