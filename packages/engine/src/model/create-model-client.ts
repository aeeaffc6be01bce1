/**
 * The entry point of this room: a client of one Messages API endpoint. Holds its sockets, credential and
 * cached bytes.
 */

import { extended } from '@turnwright/base/collections/extended.ts';
import { openConnections } from '@turnwright/base/http/connections.ts';
import { withoutTrailingSlashes } from '@turnwright/base/text/cut-text.ts';
import type { CacheTtl } from '../protocol/model/cache.ts';
import type { AttemptRecord, ModelInfo } from '../protocol/model/model.ts';
import type { ModelClient } from '../protocol/model/model-client.ts';
import { DEFAULT_RECORDED, namedInOptions } from '../protocol/model/provider.ts';
import type { Credential, OpenWire, StreamTimeouts } from '../protocol/model/provider-wire.ts';
import type { SpendGuard } from '../protocol/model/spend-guard.ts';
import type { Admission, Clock, RandomPort } from '../protocol/ports.ts';
import { modelCalls } from './call-model.ts';
import { type UntabledModels, untabledModels } from './catalog/endpoint-facts.ts';
import { createServedModels } from './catalog/model-identity.ts';
import { asksAnthropic, type ModelOverrides, modelInfo, type StatedFacts } from './catalog/model-info.ts';
import { createCredentials } from './credentials.ts';
import { trackGaps } from './http/endpoint-gaps.ts';
import { callerHeaders } from './http/request-headers.ts';
import { loadedWire, loadWire } from './load-wire.ts';
import { createMessagesWire } from './messages-wire.ts';
import { createRefusals } from './request/known-bad-requests.ts';
import { createRefusedThinking } from './request/refused-thinking.ts';
import { createFastMode } from './retry/fast-mode.ts';
import { type RateLimitPause, rateLimitPause } from './retry/rate-limit-pause.ts';
import type { ClientWire } from './retry/request-attempt.ts';
import { DEFAULT_TIMEOUTS } from './stream/stream-watch.ts';

const DEFAULT_MAX_RETRIES = 10;
const DEFAULT_UNREACHED_RETRIES = 4;

export interface ModelClientOptions {
  /** Base of `/v1/messages`; may have a path. */
  readonly baseUrl: string;
  readonly apiKey?: string;
  /** Sent as `authorization: Bearer`. */
  readonly authToken?: string;
  /** Added to every request; they override the client's own. `anthropic-beta` is merged. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly userAgent?: string;
  /** Called once per model call for a new credential, when the API refuses the current one. */
  readonly credentials?: (
    why: 'expired' | 'revoked',
  ) => Promise<{ apiKey?: string; authToken?: string } | undefined>;
  /** ms after which `credentials` is asked for a new one although the current one works. Default never. */
  readonly credentialTtlMs?: number;
  readonly proxyUrl?: string;
  readonly noProxy?: string;
  /** Additional certificate authorities, PEM. */
  readonly ca?: string | Buffer;
  readonly clock: Clock;
  readonly random: RandomPort;
  readonly admission?: Admission;
  /** Reserves the cost of each attempt before it is sent. Requests are then never fast: no price is known. */
  readonly spendGuard?: SpendGuard | undefined;
  /** Lifetime of cache entries after their last use. Default 5m. */
  readonly cacheTtl?: CacheTtl;
  /** false: no cache breakpoints. Default true. */
  readonly promptCaching?: boolean;
  /** Further fields of each request body; they override fields of the request. */
  readonly extraBody?: Readonly<Record<string, unknown>>;
  /**
   * Conversations are held by the endpoint, where it is Anthropic's API, and a request sends what is new.
   * Default false.
   */
  readonly messageThreads?: boolean;
  /** Betas of every request; one of them may enable a larger window. Default none. */
  readonly betas?: readonly string[];
  /** Default 10. */
  readonly maxRetries?: number;
  /** Retries while the endpoint was never reached, unless `persistentRetry`. Default 4. */
  readonly unreachedRetries?: number;
  /** Unattended mode: 429 and 529 are retried without limit. Default false. */
  readonly persistentRetry?: boolean;
  readonly timeouts?: Partial<StreamTimeouts>;
  /** Overrides `timeouts` for one model: a local model may need minutes to read its prompt. */
  readonly timeoutsFor?: (model: string) => Partial<StreamTimeouts> | undefined;
  /** Stated in `infoOf`. Default `firstParty`. */
  readonly provider?: string;
  /** Sizes and prices from settings, by model id. */
  readonly models?: ModelOverrides;
  /** Called with a sentence when the endpoint turns out not to know what was sent: it is left out then. */
  readonly onAdapted?: (what: string) => void;
  /** Called with each attempt when it has ended. */
  readonly onAttempt?: (attempt: AttemptRecord) => void;
  /** Of the span of a call, by its effect key. Default: calls have no spans. */
  readonly traceparentOf?: ((effectKey: string) => string | undefined) | undefined;
  /** false: models that are in no table are not looked up at `baseUrl`. Default true. */
  readonly looksUpModels?: boolean;
  /** Stated in `infoOf`. Default: a tool carries the schemas of answers. */
  readonly structuredOutput?: ModelInfo['structuredOutput'];
  /** The path at `baseUrl` that `/models` is below. Default `/v1`, behind its own path. */
  readonly modelsRoot?: string;
  /** Called with one line about each model that was looked up. */
  readonly onLookedUp?: (line: string) => void;
  /** How the endpoint is spoken to. Default the Messages API at `baseUrl`. */
  readonly wire?: OpenWire;
}

/** Caches the result while what the endpoint has said is unchanged: called several times a turn. */
function remembering(
  { models: overrides, betas, provider, structuredOutput, wire }: ModelClientOptions,
  facts: UntabledModels,
) {
  const factsOf = (model: string, stated: StatedFacts | undefined): ModelInfo => {
    const info = modelInfo(model, overrides, stated, betas);
    return extended(info, {
      provider,
      // Without tools there is no other way, and no tool beside which a schema might not be kept.
      structuredOutput: structuredOutput && info.supportsTools === false ? 'with_tools' : structuredOutput,
      // Only the first party offers high speed.
      ...(wire !== undefined && { supportsFastMode: false }),
    });
  };
  interface Known {
    readonly stated: StatedFacts | undefined;
    readonly info: ModelInfo;
    readonly isFinal: boolean;
  }
  const known = new Map<string, Known>();
  return (model: string): ModelInfo => {
    let entry = known.get(model);
    if (entry?.isFinal === true) return entry.info;
    const stated = facts.of(model);
    if (entry === undefined || entry.stated !== stated) {
      entry = { stated, info: factsOf(model, stated), isFinal: facts.isTabled(model) };
      known.set(model, entry);
    }
    return entry.info;
  };
}

/** Throws `TypeError` when `baseUrl` or `proxyUrl` is not a URL. Opens no connection yet. */
export function createModelClient(options: ModelClientOptions): ModelClient {
  const baseUrl = new URL(options.baseUrl);
  const connections = openConnections({
    baseUrl,
    proxyUrl: options.proxyUrl,
    noProxy: options.noProxy,
    ca: options.ca,
  });
  const timeouts = { ...DEFAULT_TIMEOUTS, ...options.timeouts };
  const ports = {
    clock: options.clock,
    timeoutsFor: (model: string) =>
      options.timeoutsFor === undefined ? timeouts : { ...timeouts, ...options.timeoutsFor(model) },
  };
  const userAgent = options.userAgent ?? 'turnwright';
  const custom = options.headers ?? {};
  const wire =
    options.wire === undefined
      ? loadedWire(
          createMessagesWire(
            {
              connections,
              gaps: trackGaps(JSON.stringify([baseUrl.origin, baseUrl.pathname, custom]), options.clock),
              path: `${withoutTrailingSlashes(baseUrl.pathname)}/v1/messages${baseUrl.search}`,
              userAgent,
              headers: custom,
              caching: options.promptCaching !== false,
              cacheTtl: options.cacheTtl ?? '5m',
              extraBody: options.extraBody,
              threads: (model) => options.messageThreads === true && asksAnthropic(options.baseUrl, model),
            },
            ports,
          ),
        )
      : loadWire(options.wire, ports);
  const credentials = createCredentials(
    { apiKey: options.apiKey, authToken: options.authToken },
    options.credentials ?? (options.wire && renewedBy(wire)),
    { clock: options.clock, ttlMs: options.credentialTtlMs },
  );
  const facts = untabledModels(
    options.looksUpModels === false
      ? undefined
      : {
          connections,
          baseUrl,
          root: options.modelsRoot ?? `${withoutTrailingSlashes(baseUrl.pathname)}/v1`,
          headers: () => callerHeaders({ credential: credentials.current, userAgent, custom }),
          overrides: options.models,
          clock: options.clock,
          log: options.onLookedUp,
          // A name without a provider may be a mistake.
          namesUnknown: options.wire === undefined,
          advise: options.onAdapted,
        },
  );
  const infoOf = remembering(options, facts);
  const ready: ModelClient['ready'] = (model, signal) => facts.ready(model, signal);
  const deps = {
    wire,
    credentials,
    // Without an address its name tells a provider from others.
    pauseOf: pauses(options.clock, options.looksUpModels === false ? `${options.provider}` : baseUrl.href),
    fastMode: createFastMode(options.clock),
    served: createServedModels(),
    refusals: createRefusals(),
    refusedThinking: createRefusedThinking(),
    clock: options.clock,
    random: options.random,
    admission: options.admission,
    spendGuard: options.spendGuard,
    provider: namedInOptions(options.provider ?? DEFAULT_RECORDED),
    policy: {
      maxRetries: options.maxRetries ?? DEFAULT_MAX_RETRIES,
      unreachedRetries: options.unreachedRetries ?? DEFAULT_UNREACHED_RETRIES,
      persistent: options.persistentRetry ?? false,
    },
    endpoint: { reached: false },
    infoOf,
    ready,
    onAdapted: options.onAdapted,
    onAttempt: options.onAttempt,
    traceparentOf: options.traceparentOf,
  };
  return {
    call: modelCalls(deps),
    infoOf,
    ready,
    fastMode: () => deps.fastMode.status(),
    async close() {
      facts.close();
      connections.close();
      await wire.loaded?.close();
    },
  };
}

/** The pause of each credential at this endpoint; the last one is kept at hand. */
function pauses(clock: Clock, endpoint: string): (credential: Credential) => RateLimitPause {
  let last: { readonly of: Credential; readonly pause: RateLimitPause } | undefined;
  return (of) => {
    if (last?.of !== of)
      last = { of, pause: rateLimitPause(clock, `${endpoint} ${of.apiKey ?? of.authToken}`) };
    return last.pause;
  };
}

/** For a wire that holds credentials of its own. */
function renewedBy(wire: ClientWire): ModelClientOptions['credentials'] {
  return async (why) => ((await wire.loaded?.renewCredentials?.(why)) === true ? {} : undefined);
}
