/** The Messages API over our own HTTP: Anthropic's, a gateway's, or that of a server that speaks it too. */

import type { OutgoingHttpHeaders } from 'node:http';
import type { Connections } from '@turnwright/base/http/connections.ts';
import type { Life } from '../protocol/life.ts';
import type { CacheTtl } from '../protocol/model/cache.ts';
import type { ModelFailure } from '../protocol/model/failure.ts';
import type { ModelInfo, ModelRequest } from '../protocol/model/model.ts';
import type {
  Attempt,
  Credential,
  GapTrial,
  PreparedRequest,
  Wire,
  WireInput,
  WirePorts,
} from '../protocol/model/provider-wire.ts';
import {
  EFFORT_MESSAGES,
  knowsEffortMessages,
  knowsToolReferences,
  TOOL_REFERENCES,
} from './catalog/conversation-features.ts';
import type { EndpointGaps, GapsOfEndpoint } from './http/endpoint-gaps.ts';
import { type AnswerApi, openHttpAttempt } from './http/http-attempt.ts';
import { requestHeaders } from './http/request-headers.ts';
import { createViewBytes, type ViewBytes } from './request/message-byte-cache.ts';
import { MESSAGE_THREADS_BETA, MessageThreads, THREAD } from './request/message-threads.ts';
import { buildRequestBody, type RequestBody } from './request/request-body.ts';
import { wireEffort } from './request/thinking-options.ts';
import { classifyAnswer } from './retry/classify-error.ts';
import { isMissingPath, otherApiFailure } from './retry/other-api.ts';
import { errorCodeIn, threadRefusal } from './retry/thread-refusal.ts';
import { createEventDecoder } from './stream/decode-events.ts';
import { eventsOfAnswer } from './stream/non-streaming-response.ts';
import { ThreadedAttempt } from './stream/threaded-attempt.ts';

interface MessagesWireOptions {
  readonly connections: Connections;
  readonly gaps: GapsOfEndpoint;
  /** Of `/v1/messages`, with the path of the base URL. */
  readonly path: string;
  readonly userAgent: string;
  readonly headers: Readonly<Record<string, string>>;
  /** false: no cache breakpoints. */
  readonly caching: boolean;
  readonly cacheTtl: CacheTtl;
  /** Further fields of each request body; they override fields of the request. */
  readonly extraBody: Readonly<Record<string, unknown>> | undefined;
  /** Whether message threads are wanted with this model. Absent: with none. */
  threads?(model: string): boolean;
}

export function createMessagesWire(options: MessagesWireOptions, ports: WirePorts): Wire {
  return new MessagesWire(options, ports);
}

/** How the Messages API words its answers. */
export const MESSAGES_API: AnswerApi = {
  name: 'the Messages API',
  createDecoder: createEventDecoder,
  eventsOf: (answer, head) => eventsOfAnswer(answer) ?? otherApiFailure(answer, head),
  classify: classifyAnswer,
};

class MessagesWire implements Wire {
  readonly name = 'firstParty';
  readonly #options: MessagesWireOptions;
  readonly #ports: WirePorts;
  readonly #bytes: ViewBytes = createViewBytes();
  readonly #threads = new MessageThreads();

  constructor(options: MessagesWireOptions, ports: WirePorts) {
    this.#options = options;
    this.#ports = ports;
  }

  prepare({
    request,
    info,
    state,
    fast,
    credential,
    keepsThinking,
    thinkingKey,
    trial,
    traceparent,
  }: WireInput): PreparedRequest {
    const { cacheTtl, extraBody } = this.#options;
    const gaps = this.#options.gaps.of(credential, trial);
    const body = buildRequestBody({
      request,
      info,
      bytes: this.#bytes,
      maxTokens: state.maxTokens,
      withoutThinking: state.withoutThinking,
      fast,
      caching: this.#caches(gaps),
      cacheTtl,
      extraBody,
      gaps,
      metadataUserId: JSON.stringify({ session_id: request.sessionId }),
      effortMessages: knowsEffortMessages(request.model) && !gaps.lacks(EFFORT_MESSAGES),
      references: knowsToolReferences(request.model) && !gaps.lacks(TOOL_REFERENCES),
      threads: this.#usesThreads(request, gaps) ? this.#threads : undefined,
      thinkingKey,
      keepsThinking,
    });
    const sent: Sent = {
      request,
      info,
      body,
      fast,
      credential,
      gaps,
      keepAlive: state.keepAlive,
      traceparent,
    };
    return {
      chunks: body.chunks,
      length: body.length,
      maxTokens: body.maxTokens,
      effort: body.effort,
      open: (life) => this.#open(sent, life),
      adapt: async (failure) => {
        const refusal = body.thread && threadRefusal(failure, sent);
        if (refusal === 'lost' && body.thread?.lose() === true) return sentWhole(failure, trial);
        const text = body.chunks.join('');
        const refuses = refusal === undefined ? undefined : THREAD;
        return this.#options.gaps.suspect(
          failure,
          { body: text, headers: this.#headers(sent), refuses },
          credential,
          trial,
        );
      },
    };
  }

  /** A conversation of the loop, whose fields are all its own. */
  #usesThreads({ model, querySource, summarises }: ModelRequest, gaps: EndpointGaps): boolean {
    return (
      this.#options.threads?.(model) === true &&
      (querySource === 'main' || querySource.startsWith('agent:')) &&
      summarises !== true &&
      !OWN_FIELDS.some((field) => field in (this.#options.extraBody ?? {})) &&
      ![THREAD, MESSAGE_THREADS_BETA, 'anthropic-beta'].some((name) => gaps.lacks(name))
    );
  }

  #caches(gaps: EndpointGaps): boolean {
    return this.#options.caching && !gaps.lacks('cache_control');
  }

  /** Its sockets belong to the client, which looks up models through them as well. */
  close(): void {}

  #headers({ request, info, body, fast, credential, gaps, traceparent }: Sent): OutgoingHttpHeaders {
    const { cacheTtl, userAgent, headers: custom } = this.#options;
    return requestHeaders({
      request,
      body,
      credential,
      fast,
      hasEffort: wireEffort(request, info) !== undefined,
      cacheTtl: this.#caches(gaps) && request.cache !== false ? cacheTtl : undefined,
      userAgent,
      custom,
      gaps,
      traceparent: traceparent?.(),
    });
  }

  #open(sent: Sent, life: Life): Attempt {
    const { connections, path } = this.#options;
    const { request, body, keepAlive } = sent;
    const headers = this.#headers(sent);
    const attempt = openHttpAttempt({
      connections,
      request: { path, headers, keepAlive },
      body: body.chunks,
      stream: request.stream,
      timeouts: this.#ports.timeoutsFor(request.model),
      clock: this.#ports.clock,
      life,
      api: {
        ...MESSAGES_API,
        classify: async (head, text, nowMs) => {
          const failure = classifyAnswer(head, text, nowMs);
          sent.errorCode = errorCodeIn(text);
          if (body.thread !== undefined && threadRefusal(failure, sent) !== undefined) return failure;
          if (!isMissingPath(head, text)) return failure;
          const { namedOtherApi } = await import('./openai/name-other-api.ts');
          const { clock } = this.#ports;
          const base = path.replace(/\/v1\/messages(?=\?|$)/, '');
          return namedOtherApi(failure, { asked: 'messages', connections, base, headers, clock, life });
        },
      },
    });
    return body.thread === undefined ? attempt : new ThreadedAttempt(attempt, body.thread);
  }
}

/** Fields that a thread holds, or is. */
const OWN_FIELDS = ['messages', 'model', 'system', 'tools', THREAD];

/** The next attempt begins another thread: nothing is left out of it. */
const sentWhole = ({ message }: ModelFailure, trial: GapTrial | undefined): GapTrial => ({
  names: trial?.names ?? [],
  confirm() {
    const learned = `The endpoint no longer held the conversation, so it was sent whole: ${message}`;
    return trial === undefined ? learned : `${trial.confirm()} ${learned}`;
  },
});

interface Sent {
  readonly request: ModelRequest;
  readonly info: ModelInfo;
  readonly body: RequestBody;
  readonly fast: boolean;
  readonly credential: Credential;
  readonly gaps: EndpointGaps;
  readonly keepAlive: boolean;
  readonly traceparent: WireInput['traceparent'];
  /** Of the endpoint's refusal. */
  errorCode?: string | undefined;
}
