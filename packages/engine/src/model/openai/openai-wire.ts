/**
 * Chat completions and responses of OpenAI and the servers that are compatible with them, over our own HTTP.
 */

import type { OutgoingHttpHeaders } from 'node:http';
import { type Connections, openConnections } from '@turnwright/base/http/connections.ts';
import { withoutTrailingSlashes } from '@turnwright/base/text/cut-text.ts';
import type { Life } from '../../protocol/life.ts';
import type { ModelFailure } from '../../protocol/model/failure.ts';
import type {
  Attempt,
  HttpHead,
  PreparedRequest,
  Wire,
  WireInput,
  WirePorts,
} from '../../protocol/model/provider-wire.ts';
import { type AnswerApi, openHttpAttempt } from '../http/http-attempt.ts';
import { isMissingPath } from '../retry/other-api.ts';
import { refusedAttempt } from '../stream/iterated-attempt.ts';
import type { WireAccess, WireSetup } from '../wire-setup.ts';
import { chatBody, responsesBody } from './bodies.ts';
import { createChatDecoder } from './chat-decoder.ts';
import { chatMessages } from './chat-messages.ts';
import { classifyOpenAi } from './classify-openai-error.ts';
import { type Fields, fieldsIn } from './fields.ts';
import { namedOtherApi } from './name-other-api.ts';
import { otherWire } from './other-wire.ts';
import { createQuirks, type Quirk, type Quirks } from './quirks.ts';
import { createResponsesDecoder, eventsOfResponse } from './responses-decoder.ts';
import { responsesInput } from './responses-input.ts';
import { createRenderedTurns, type RenderedTurns } from './turns.ts';

interface OpenAiWireOptions {
  /**
   * Where the API is: with the `/v1` or whatever else its documentation names (`http://localhost:11434/v1`);
   * an address without a path gets `/v1`.
   */
  readonly baseUrl: string;
  /** Default `chat`. */
  readonly api?: 'chat' | 'responses';
  /** Added to every request; they override the wire's own. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly userAgent?: string;
  readonly proxyUrl?: string;
  readonly noProxy?: string;
  /** Additional certificate authorities, PEM. */
  readonly ca?: string | Buffer;
  /** Further fields of each request body; they override fields of the request. */
  readonly extraBody?: Readonly<Record<string, unknown>>;
}

/** It can be reached at its address. */
export function openAiAccess({
  provider: { api, baseUrl = '', headers },
  userAgent,
  proxyUrl,
  noProxy,
  ca,
  extraBody,
}: WireSetup): WireAccess {
  return {
    open: (ports) =>
      createOpenAiWire(
        {
          baseUrl,
          userAgent,
          ...(api !== undefined && { api }),
          ...(headers !== undefined && { headers }),
          ...(proxyUrl !== undefined && { proxyUrl }),
          ...(noProxy !== undefined && { noProxy }),
          ...(ca !== undefined && { ca }),
          ...(extraBody !== undefined && { extraBody }),
        },
        ports,
      ),
  };
}

/** Throws `TypeError` when an address is not a URL. Opens no connection yet. */
export function createOpenAiWire(options: OpenAiWireOptions, ports: WirePorts): Wire {
  return new OpenAiWire(options, ports);
}

const NAMES = { chat: "OpenAI's chat completions", responses: "OpenAI's responses" } as const;
const PATHS = { chat: '/chat/completions', responses: '/responses' } as const;

class OpenAiWire implements Wire {
  readonly name = 'openai';
  readonly #options: OpenAiWireOptions;
  readonly #ports: WirePorts;
  readonly #api: 'chat' | 'responses';
  readonly #baseUrl: URL;
  readonly #path: string;
  readonly #connections: Connections;
  readonly #quirks: Quirks;
  /** Of reasoning: this API at this address. */
  readonly #origin: string;
  readonly #turns: RenderedTurns<string> = createRenderedTurns();

  constructor(options: OpenAiWireOptions, ports: WirePorts) {
    this.#options = options;
    this.#ports = ports;
    this.#api = options.api ?? 'chat';
    this.#baseUrl = new URL(options.baseUrl);
    this.#path = toApiPath(this.#baseUrl, PATHS[this.#api]);
    this.#connections = openConnections({
      baseUrl: this.#baseUrl,
      proxyUrl: options.proxyUrl,
      noProxy: options.noProxy,
      ca: options.ca,
    });
    this.#quirks = createQuirks(knownQuirks(this.#baseUrl));
    this.#origin = `openai-${this.#api} ${this.#baseUrl.host}`;
  }

  prepare(input: WireInput): PreparedRequest {
    const { request, info, state } = input;
    const form = { origin: this.#origin, quirks: this.#quirks };
    const messages = this.#turns.messages(
      {
        view: request.view,
        userContext: request.userContext ?? [],
        key: `${input.thinkingKey} ${this.#quirks.key()}`,
        keepsThinking: input.keepsThinking,
      },
      (turns) => (this.#api === 'chat' ? chatMessages(turns, form) : responsesInput(turns, form)),
    );
    const { json, maxTokens } = (this.#api === 'chat' ? chatBody : responsesBody)({
      request,
      info,
      maxTokens: state.maxTokens,
      quirks: this.#quirks,
      messages,
      extraBody: this.#options.extraBody,
    });
    const length = Buffer.byteLength(json);
    return { chunks: [json], length, maxTokens, open: (life) => this.#open(input, json, length, life) };
  }

  close(): void {
    this.#connections.close();
  }

  #open(
    { request, state, credential, traceparent }: WireInput,
    json: string,
    length: number,
    life: Life,
  ): Attempt {
    const server = request.serverTools?.[0];
    if (server !== undefined) return refusedAttempt(noServerTools(server));
    const key = credential.authToken ?? credential.apiKey;
    const parent = traceparent?.();
    const headers: OutgoingHttpHeaders = {
      'content-type': 'application/json',
      accept: request.stream ? 'text/event-stream' : 'application/json',
      // Compressed streams arrive in larger, later pieces.
      'accept-encoding': 'identity',
      'user-agent': this.#options.userAgent ?? 'turnwright',
      ...(key !== undefined && { authorization: `Bearer ${key.trim()}` }),
      ...(parent !== undefined && { traceparent: parent }),
      ...lowerCase(this.#options.headers ?? {}),
      'content-length': length,
    };
    return openHttpAttempt({
      connections: this.#connections,
      request: { path: this.#path, headers, keepAlive: state.keepAlive },
      body: [json],
      stream: request.stream,
      timeouts: this.#ports.timeoutsFor(request.model),
      clock: this.#ports.clock,
      life,
      api: this.#answers(length, headers, life),
    });
  }

  #answers(requestBytes: number, headers: OutgoingHttpHeaders, life: Life): AnswerApi {
    const origin = this.#origin;
    const learned = (failure: ModelFailure) => this.#quirks.learn(failure);
    return {
      name: NAMES[this.#api],
      createDecoder: (head) =>
        this.#api === 'chat'
          ? createChatDecoder({ head, origin, requestBytes })
          : createResponsesDecoder({ head, origin, requestBytes }),
      eventsOf: (answer, head) => this.#eventsOf(answer, head),
      classify: (head, text, nowMs) => {
        const failure = learned(classifyOpenAi(head, text, nowMs));
        if (!isMissingPath(head, text)) return failure;
        return namedOtherApi(failure, {
          asked: this.#api,
          connections: this.#connections,
          base: this.#path.replace(/(?:\/v1)?\/(?:chat\/completions|responses)(?=\?|$)/, ''),
          headers,
          clock: this.#ports.clock,
          life,
        });
      },
    };
  }

  #eventsOf(answer: unknown, head: HttpHead): ReturnType<AnswerApi['eventsOf']> {
    const fields = fieldsIn(answer);
    if (this.#api === 'responses') {
      const events = eventsOfResponse(answer);
      if (events !== undefined) return events;
    } else if (fields !== undefined && Array.isArray(fields['choices']) && !fields['error'])
      return [{ ...fields, choices: fields['choices'].map(finished) }];
    return fields === undefined ? undefined : otherWire(fields, this.#api, head);
  }
}

/** An address without a path gets `/v1`; one that names the API itself is taken as it is. */
function toApiPath(baseUrl: URL, api: string): string {
  const base = withoutTrailingSlashes(baseUrl.pathname);
  const path = base.endsWith(api) ? base : `${base === '' ? '/v1' : base}${api}`;
  return `${path}${baseUrl.search}`;
}

/** What is known of vendors without asking them. */
function knownQuirks({ host }: URL): readonly Quirk[] {
  if (host === 'api.openai.com' || host.endsWith('.openai.azure.com')) return ['max_completion_tokens'];
  return host === 'generativelanguage.googleapis.com' ? ['thought_signatures'] : [];
}

function lowerCase(headers: Readonly<Record<string, string>>): OutgoingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}

/** A choice of an answer that came whole: it has ended, even if the server does not say why. */
function finished(choice: unknown): unknown {
  const fields = fieldsIn(choice);
  return fields?.['finish_reason'] ? fields : { ...fields, finish_reason: 'stop' };
}

function noServerTools(tool: Fields): ModelFailure {
  const name = String(tool['name'] ?? tool['type']);
  return {
    kind: 'invalid_request',
    message: `The tool ${name} runs at the provider, and an OpenAI-compatible server does not offer it.`,
    shouldRetry: false,
  };
}
