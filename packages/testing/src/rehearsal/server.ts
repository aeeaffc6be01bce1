/** The Messages API on loopback. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { systemClock } from '@turnwright/base/clock.ts';
import { isOfThisMachine, refusedHost } from '@turnwright/base/host-header.ts';
import { isRecord } from '@turnwright/base/json-values.ts';
import { http } from '@turnwright/base/node.ts';
import { errorText } from '@turnwright/base/text/error-text.ts';
import { createPromptCache } from './accounting/prompt-cache.ts';
import { deliver } from './http/deliver.ts';
import type { Incoming, MessageEndpointPorts } from './http/message-endpoint.ts';
import type { RecordedRequest } from './http/recorded-request.ts';
import { routeRequest } from './http/route.ts';
import type { TimelineEvent, TimelineFact } from './http/timeline.ts';
import { JUDGE_RULES } from './judge/index.ts';
import { modelCatalogue } from './models.ts';
import { checkRehearsalOptions, type RehearsalOptions } from './rehearsal-options.ts';
import { holdThreads } from './request/held-threads.ts';
import { classifyRequest } from './scenario/rehearsal-request.ts';
import type { Scenario, ScenarioFunction } from './scenario/scenario.ts';
import { readSessionKey } from './scenario/session-key.ts';
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
  checkRehearsalOptions(options);
  const served = new RehearsedApi(options);
  const server = http.createServer({ keepAliveTimeout: 0, requestTimeout: 0 }, (message, response) => {
    const { host, origin } = message.headers;
    const refused = refusedHost({ host, origin, isLocal: isOfThisMachine(message.socket) });
    if (refused === undefined) void served.serve(message, response);
    else response.writeHead(403, { connection: 'close' }).end(`${refused}\n`);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests: served.requests,
    timeline: served.timeline,
    report: () => served.report(),
    setScenario: (scenario) => served.setScenario(scenario),
    clear: () => served.clear(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

/** What was asked, and what answers. */
class RehearsedApi {
  readonly requests: Open[] = [];
  readonly timeline: TimelineEvent[] = [];
  readonly #options: RehearsalOptions;
  readonly #clock: NonNullable<RehearsalOptions['clock']>;
  readonly #ports: MessageEndpointPorts;
  readonly #sessions: ReturnType<typeof createSessionBook>;
  readonly #cache: ReturnType<typeof createPromptCache>;
  #arrived = 0;

  constructor(options: RehearsalOptions) {
    const clock = options.clock ?? systemClock;
    const lenient = new Set(options.lenient);
    this.#options = options;
    this.#clock = clock;
    this.#sessions = createSessionBook(options.scenario, options.scenarios ?? []);
    this.#cache = createPromptCache(() => clock.nowMs());
    this.#ports = {
      rules: JUDGE_RULES.filter((rule) => !lenient.has(rule.name)),
      models: modelCatalogue(options.windows, options.models),
      cache: this.#cache,
      sessions: this.#sessions,
      chaos: options.chaos,
      threads: holdThreads(options.heldThreads ?? DEFAULT_HELD_THREADS),
      requiredKey: options.apiKey,
      thoughtCalls: new Set(),
      kindOf: options.kindOf ?? classifyRequest,
    };
  }

  async serve(message: IncomingMessage, response: ServerResponse): Promise<void> {
    this.#arrived += 1;
    const number = this.#arrived;
    const note = (fact: TimelineFact) => this.#note(number, fact);
    const [path = '/', query = ''] = (message.url ?? '/').split('?', 2);
    const method = message.method ?? 'GET';
    const arrivedMs = this.#clock.nowMs();
    const arrivedMonotonicMs = this.#clock.monotonicMs();
    note({ kind: 'request_arrived', method, path });
    const bytes = await readBody(message);
    if (bytes === undefined) return;
    const { value: body, error: jsonError } =
      bytes.length === 0 ? { value: undefined, error: 'the body is empty' } : parseJson(bytes);
    const { headers } = message;
    const record = isRecord(body) ? body : {};
    const session = this.#options.sessionOf?.({ headers, body: record }) ?? readSessionKey(headers, record);
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
    this.requests.push(open);
    const requestId = `req_rehearsal_${String(number).padStart(6, '0')}`;
    const incoming: Incoming = { number, requestId, headers, body, jsonError, bytes: bytes.length, session };
    const routed = await routeRequest(method, path, incoming, this.#ports);
    open.verdict = routed.verdict;
    open.kind = routed.kind;
    await deliver(response, routed.answer, { clock: this.#clock, note });
  }

  report(): RehearsalReport {
    return {
      unusedReplies: this.#sessions.unused(),
      unanswered: this.requests.flatMap(({ number, verdict }) =>
        verdict.kind === 'unanswered' ? [{ request: number, message: verdict.message }] : [],
      ),
      rejected: this.requests.flatMap(({ number, verdict }) =>
        verdict.kind === 'rejected'
          ? [{ request: number, rule: verdict.rule, house: verdict.house, message: verdict.message }]
          : [],
      ),
    };
  }

  setScenario(scenario: Scenario | ScenarioFunction): void {
    this.#sessions.setScenario(scenario);
  }

  clear(): void {
    this.requests.length = 0;
    this.timeline.length = 0;
    this.#sessions.clear();
    this.#cache.clear();
    this.#ports.thoughtCalls.clear();
    this.#ports.threads.clear();
  }

  #note(request: number, fact: TimelineFact): void {
    const event: TimelineEvent = { atMs: this.#clock.monotonicMs(), request, ...fact };
    this.timeline.push(event);
    this.#options.onEvent?.(event);
  }
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
    return isRecord(value) ? { value } : { value, error: 'expected an object' };
  } catch (error) {
    return { value: undefined, error: errorText(error) };
  }
}
