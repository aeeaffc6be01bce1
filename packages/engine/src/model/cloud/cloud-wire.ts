/**
 * One wire for the three clouds: the body of the Messages API without what the endpoint does not know, signed
 * by the cloud's client, sent and read by us.
 */

import { type Connections, openConnections } from '@turnwright/base/http/connections.ts';
import { maskSecrets } from '@turnwright/base/text/secret-text.ts';
import type { Life } from '../../protocol/life.ts';
import type { ModelFailure } from '../../protocol/model/failure.ts';
import type { ModelRequest } from '../../protocol/model/model.ts';
import type { CloudName } from '../../protocol/model/provider.ts';
import type {
  Attempt,
  AttemptEnd,
  PreparedRequest,
  Wire,
  WireInput,
  WirePorts,
} from '../../protocol/model/provider-wire.ts';
import { wireModel } from '../catalog/model-info.ts';
import { type AnswerApi, openHttpAttempt } from '../http/http-attempt.ts';
import { requestHeaders } from '../http/request-headers.ts';
import { createViewBytes } from '../request/message-byte-cache.ts';
import { buildRequestBody } from '../request/request-body.ts';
import { wireEffort } from '../request/thinking-options.ts';
import type { WireSetup } from '../wire-setup.ts';
import {
  type ClientOptions,
  type OfficialClient,
  type SignedRequest,
  sign,
  type UnsignedRequest,
} from './official-client.ts';

/** What differs between the clouds. */
export interface CloudEndpoint {
  readonly name: CloudName;
  /** As sentences name it. */
  readonly title: string;
  readonly api: AnswerApi;
  /** Fields of every body. */
  readonly body: Readonly<Record<string, unknown>>;
  /** Of every request; null: without the client's own. */
  readonly headers?: Readonly<Record<string, string | null>>;
  /** Extensions of the Messages API that its documentation names. */
  readonly knows: {
    /** `context_management`. */
    readonly contextManagement: boolean;
    /** Tools that run on the server, such as web search. */
    readonly serverTools: boolean;
    /** `metadata`. */
    readonly metadata: boolean;
  };
  /** The endpoint's name of a model. */
  modelId(model: string): string;
  /**
   * Makes sure that there are credentials, by a command if need be, and returns what makes a client for this
   * model. Rejects with a sentence.
   */
  client(model: string): Promise<(options: ClientOptions) => OfficialClient>;
  /** Discards credentials, and renews them by a command if there is one. false: there can be no others. */
  renewCredentials(): Promise<boolean>;
  /** What went wrong before anything was sent. */
  unsigned(error: unknown): ModelFailure;
}

export function createCloudWire(endpoint: CloudEndpoint, setup: WireSetup, ports: WirePorts): Wire {
  return new CloudWire(endpoint, setup, ports);
}

class CloudWire implements Wire {
  readonly name: string;
  readonly #endpoint: CloudEndpoint;
  readonly #setup: WireSetup;
  readonly #ports: WirePorts;
  readonly #bytes = createViewBytes();
  /** By origin: a model may have a region of its own. */
  readonly #connections = new Map<string, Connections>();
  #renewing: Promise<boolean> | undefined;

  constructor(endpoint: CloudEndpoint, setup: WireSetup, ports: WirePorts) {
    this.name = endpoint.name;
    this.#endpoint = endpoint;
    this.#setup = setup;
    this.#ports = ports;
  }

  prepare(input: WireInput): PreparedRequest {
    const { caching, cacheTtl, extraBody, userAgent, headers: custom } = this.#setup;
    const { info, state, keepsThinking, thinkingKey } = input;
    const request = this.#understood(input.request);
    const body = buildRequestBody({
      request: { ...request, model: this.#endpoint.modelId(wireModel(request.model)) },
      info,
      bytes: this.#bytes,
      maxTokens: state.maxTokens,
      withoutThinking: state.withoutThinking,
      fast: false,
      caching,
      cacheTtl,
      extraBody: { ...this.#endpoint.body, ...extraBody },
      metadataUserId: this.#endpoint.knows.metadata
        ? JSON.stringify({ session_id: request.sessionId })
        : undefined,
      thinkingKey,
      keepsThinking,
    });
    const headers = () =>
      requestHeaders({
        request,
        traceparent: input.traceparent?.(),
        body,
        credential: {},
        fast: false,
        hasEffort: wireEffort(request, info) !== undefined,
        // Long-lived cache entries need no beta here.
        cacheTtl: undefined,
        userAgent,
        custom,
      });
    return {
      chunks: body.chunks,
      length: body.length,
      maxTokens: body.maxTokens,
      open: (life) =>
        new SignedAttempt({
          endpoint: this.#endpoint,
          ports: this.#ports,
          model: request.model,
          stream: request.stream,
          keepAlive: state.keepAlive,
          unsigned: { body: body.chunks.join(''), headers: { ...own(headers()), ...this.#endpoint.headers } },
          connectionsTo: (url) => this.#connectionsTo(url),
          life,
        }),
    };
  }

  /** One renewal at a time, however many requests were refused. */
  renewCredentials(): Promise<boolean> {
    this.#renewing ??= this.#endpoint.renewCredentials().finally(() => {
      this.#renewing = undefined;
    });
    return this.#renewing;
  }

  close(): void {
    for (const connections of this.#connections.values()) connections.close();
    this.#connections.clear();
  }

  /** Without what the endpoint does not know: it would refuse the request. */
  #understood(request: ModelRequest): ModelRequest {
    const { contextManagement, serverTools, taskBudget: _, refusalCredit: __, ...rest } = request;
    const { knows } = this.#endpoint;
    return {
      ...rest,
      ...(knows.contextManagement && contextManagement !== undefined && { contextManagement }),
      ...(knows.serverTools && serverTools !== undefined && { serverTools }),
    };
  }

  #connectionsTo({ origin }: URL): Connections {
    const known = this.#connections.get(origin);
    if (known !== undefined) return known;
    const { proxyUrl, noProxy, ca } = this.#setup;
    const opened = openConnections({
      baseUrl: new URL(origin),
      proxyUrl,
      noProxy,
      ca,
    });
    this.#connections.set(origin, opened);
    return opened;
  }
}

interface SignedInput {
  readonly endpoint: CloudEndpoint;
  readonly ports: WirePorts;
  readonly model: string;
  readonly stream: boolean;
  readonly keepAlive: boolean;
  readonly unsigned: UnsignedRequest;
  readonly connectionsTo: (url: URL) => Connections;
  readonly life: Life;
}

class SignedAttempt implements Attempt {
  readonly #input: SignedInput;
  readonly #signing = new AbortController();
  #attempt: Attempt | undefined;

  constructor(input: SignedInput) {
    this.#input = input;
  }

  async next(): ReturnType<Attempt['next']> {
    if (this.#attempt !== undefined) return this.#attempt.next();
    const { endpoint, ports, model, stream, keepAlive, connectionsTo, life } = this.#input;
    const signed = await this.#sign();
    if ('kind' in signed) return signed;
    const { url, body } = signed;
    const { host: _, ...headers } = signed.headers;
    this.#attempt = openHttpAttempt({
      connections: connectionsTo(url),
      request: {
        path: url.pathname + url.search,
        headers: { ...headers, 'content-length': Buffer.byteLength(body) },
        keepAlive,
      },
      body: [body],
      stream,
      timeouts: ports.timeoutsFor(model),
      clock: ports.clock,
      life,
      api: endpoint.api,
    });
    return this.#attempt.next();
  }

  close(): void {
    this.#signing.abort();
    this.#attempt?.close();
  }

  /** Ends at once on abort. The time limit of the connection holds for obtaining credentials, too. */
  #sign(): Promise<SignedRequest | AttemptEnd> {
    const { life } = this.#input;
    if (life.aborted) return Promise.resolve(ABORTED);
    return new Promise((resolve) => {
      const onAbort = () => {
        this.#signing.abort();
        resolve(ABORTED);
      };
      const forget = life.onAbort(onAbort);
      this.#signed()
        .catch((error: unknown) => failedWith(this.#input.endpoint.unsigned(error)))
        .then((outcome) => {
          forget();
          resolve(outcome);
        });
    });
  }

  async #signed(): Promise<SignedRequest | AttemptEnd> {
    const { endpoint, ports, model, unsigned } = this.#input;
    const makeClient = await endpoint.client(model);
    const { connectMs } = ports.timeoutsFor(model);
    const signing = sign(makeClient, unsigned, this.#signing.signal);
    if (!Number.isFinite(connectMs)) return await signing;
    return await new Promise((resolve, reject) => {
      const cancel = ports.clock.timer(connectMs, () => {
        this.#signing.abort();
        const message = `There were no ${endpoint.title} credentials within ${Math.round(connectMs / 1000)} seconds.`;
        resolve(failedWith({ kind: 'timeout', message }));
      });
      signing.then(resolve, reject).finally(cancel);
    });
  }
}

const ABORTED: AttemptEnd = { kind: 'aborted', facts: { started: false } };

function failedWith(failure: ModelFailure): AttemptEnd {
  return {
    kind: 'failed',
    failure: { ...failure, message: maskSecrets(failure.message) },
    facts: { started: false },
  };
}

/** Headers that are the first party's alone are not sent, and the length is that of another body. */
function own(headers: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(headers)
      .filter(([name]) => name !== 'content-length' && !name.startsWith('x-turnwright-'))
      .map(([name, value]) => [name, String(value)]),
  );
}
