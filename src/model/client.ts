/** The door of this room: a client of one Messages API endpoint. Holds its sockets, credential and cached bytes. */

import type { Life } from '../protocol/life.ts';
import type { AttemptRecord, CallModel, FastModeStatus, ModelInfo } from '../protocol/model.ts';
import type { Admission, Clock, RandomPort } from '../protocol/ports.ts';
import { withoutTrailingSlashes } from '../util/text/trailing-slashes.ts';
import { callModel } from './call-model.ts';
import { createEndpointSizes, type EndpointSizes } from './catalog/endpoint-sizes.ts';
import { createServedModels } from './catalog/model-identity.ts';
import { type ModelOverrides, modelInfo, type StatedSizes } from './catalog/model-info.ts';
import { createCredentials } from './credentials.ts';
import { openConnections } from './http/connections.ts';
import { callerHeaders } from './http/request-headers.ts';
import type { CacheTtl } from './request/cache-breakpoints.ts';
import { createRefusals } from './request/known-bad-requests.ts';
import { createViewBytes } from './request/message-byte-cache.ts';
import { createRefusedThinking } from './request/refused-thinking.ts';
import { createFastMode } from './retry/fast-mode.ts';
import { DEFAULT_TIMEOUTS, type StreamTimeouts } from './stream/stream-watch.ts';

const DEFAULT_MAX_RETRIES = 10;
const DEFAULT_UNREACHED_RETRIES = 4;

export interface ModelClientOptions {
  /** Where `/v1/messages` lies; may have a path. */
  readonly baseUrl: string;
  readonly apiKey?: string;
  /** Sent as `authorization: Bearer`. */
  readonly authToken?: string;
  /** Added to every request; these win over the client's own. `anthropic-beta` is merged. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly userAgent?: string;
  /** Asked once per call for a new credential, when the API refuses the current one. */
  readonly credentials?: (
    why: 'expired' | 'revoked',
  ) => Promise<{ apiKey?: string; authToken?: string } | undefined>;
  readonly proxyUrl?: string;
  readonly noProxy?: string;
  /** Trusted beside the usual certificate authorities, PEM. */
  readonly ca?: string | Buffer;
  readonly clock: Clock;
  readonly random: RandomPort;
  readonly admission?: Admission;
  /** How long what is cached lives after its last use. Default 5m. */
  readonly cacheTtl?: CacheTtl;
  /** false: nothing is marked for the prompt cache. Default true. */
  readonly promptCaching?: boolean;
  /** Further fields of each request's body; one that the request has as well takes its place. */
  readonly extraBody?: Readonly<Record<string, unknown>>;
  /** Betas that every request of the caller's carries; one of them may open a larger window. Default none. */
  readonly betas?: readonly string[];
  /** Default 10. */
  readonly maxRetries?: number;
  /** Retries while the endpoint was never reached, unless `persistentRetry`. Default 4. */
  readonly unreachedRetries?: number;
  /** Unattended: 429 and 529 are waited out without limit. Default false. */
  readonly persistentRetry?: boolean;
  readonly timeouts?: Partial<StreamTimeouts>;
  /** On top of `timeouts`, for one model: a local model may read its prompt for minutes. */
  readonly timeoutsFor?: (model: string) => Partial<StreamTimeouts> | undefined;
  /** Sizes and prices from settings, by model id. */
  readonly models?: ModelOverrides;
  /** Told of each attempt when it is over. */
  readonly onAttempt?: (attempt: AttemptRecord) => void;
}

export interface ModelClient {
  readonly call: CallModel;
  /** What is known by now. A model that is in no table is looked up at the endpoint, in the background. */
  infoOf(model: string): ModelInfo;
  /** Resolves when `infoOf` is as good as it gets, or a second later; undefined: it is already. Never rejects. */
  ready(model: string, life: Pick<Life, 'signal'>): Promise<void> | undefined;
  /** What became of fast requests so far. */
  fastMode(): FastModeStatus;
  /** Gives its sockets back. Calls that run are to be aborted first. */
  close(): Promise<void>;
}

/** The same answer while the endpoint says the same: asked several times a turn. */
function remembering(
  overrides: ModelOverrides | undefined,
  sizes: EndpointSizes,
  betas: readonly string[] | undefined,
) {
  interface Known {
    readonly stated: StatedSizes | undefined;
    readonly info: ModelInfo;
    readonly isFinal: boolean;
  }
  const known = new Map<string, Known>();
  return (model: string): ModelInfo => {
    let entry = known.get(model);
    if (entry?.isFinal === true) return entry.info;
    const stated = sizes.of(model);
    if (entry === undefined || entry.stated !== stated) {
      entry = { stated, info: modelInfo(model, overrides, stated, betas), isFinal: sizes.isTabled(model) };
      known.set(model, entry);
    }
    return entry.info;
  };
}

/** Throws `TypeError` when `baseUrl` or `proxyUrl` is not a URL. Opens nothing yet. */
export function createModelClient(options: ModelClientOptions): ModelClient {
  const baseUrl = new URL(options.baseUrl);
  const connections = openConnections({
    baseUrl,
    proxyUrl: options.proxyUrl ? new URL(options.proxyUrl) : undefined,
    noProxy: options.noProxy,
    ca: options.ca,
  });
  const timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
  const credentials = createCredentials(
    { apiKey: options.apiKey, authToken: options.authToken },
    options.credentials,
  );
  const userAgent = options.userAgent ?? 'turnwright';
  const custom = options.headers ?? {};
  const sizes = createEndpointSizes({
    connections,
    baseUrl,
    headers: () => callerHeaders({ credential: credentials.current, userAgent, custom }),
    overrides: options.models,
    clock: options.clock,
  });
  const infoOf = remembering(options.models, sizes, options.betas);
  const ready: ModelClient['ready'] = (model, signal) => sizes.ready(model, signal);
  const deps = {
    connections,
    path: `${withoutTrailingSlashes(baseUrl.pathname)}/v1/messages${baseUrl.search}`,
    credentials,
    fastMode: createFastMode(options.clock),
    served: createServedModels(),
    bytes: createViewBytes(),
    refusals: createRefusals(),
    refusedThinking: createRefusedThinking(),
    caching: options.promptCaching !== false,
    cacheTtl: options.cacheTtl ?? '5m',
    extraBody: options.extraBody,
    clock: options.clock,
    random: options.random,
    admission: options.admission,
    policy: {
      maxRetries: options.maxRetries ?? DEFAULT_MAX_RETRIES,
      unreachedRetries: options.unreachedRetries ?? DEFAULT_UNREACHED_RETRIES,
      persistent: options.persistentRetry ?? false,
    },
    endpoint: { reached: false },
    userAgent,
    headers: custom,
    infoOf,
    ready,
    timeoutsFor: (model: string) =>
      options.timeoutsFor === undefined ? timeouts : { ...timeouts, ...options.timeoutsFor(model) },
    onAttempt: options.onAttempt,
  };
  return {
    call: (request, callOptions) => callModel(deps, request, callOptions),
    infoOf,
    ready,
    fastMode: () => deps.fastMode.status(),
    async close() {
      sizes.close();
      connections.close();
    },
  };
}
