/** Asks the endpoint of a configuration whether it would let a session in. */

import { resolveModelAlias } from '../../model/catalog/model-info.ts';
import { openConnections } from '../../model/http/connections.ts';
import { type Endpoint, type EndpointAnswer, probeEndpoint } from '../../model/http/probe-endpoint.ts';
import { callerHeaders } from '../../model/http/request-headers.ts';
import { lifeOf } from '../../model/life-of.ts';
import { DEFAULT_BASE_URL } from '../../settings/resolve/resolved-options.ts';
import { systemClock } from '../../util/clock.ts';
import type { QueryEngineConfig } from '../config.ts';
import { VERSION } from '../version.ts';

export type { EndpointAnswer };

export function probeModel(config: QueryEngineConfig, signal: AbortSignal): Promise<EndpointAnswer> {
  const model = resolveModelAlias(config.model ?? 'default', config.env ?? {});
  return withEndpoint(config, signal, (endpoint) => probeEndpoint({ ...endpoint, model }));
}

/** The endpoint of a configuration, with its credentials; its sockets are released afterwards. */
export async function withEndpoint<T>(
  config: QueryEngineConfig,
  signal: AbortSignal,
  use: (endpoint: Endpoint) => Promise<T>,
): Promise<T> {
  const baseUrl = new URL(config.baseUrl ?? DEFAULT_BASE_URL);
  const connections = openConnections({
    baseUrl,
    proxyUrl: config.proxyUrl === undefined ? undefined : new URL(config.proxyUrl),
    noProxy: config.noProxy,
    ca: config.ca,
  });
  const headers = callerHeaders({
    credential: { apiKey: config.apiKey, authToken: config.authToken },
    userAgent: config.userAgent ?? `turnwright/${VERSION}`,
    custom: config.headers ?? {},
  });
  try {
    return await use({ connections, baseUrl, headers, life: lifeOf(signal), nowMs: systemClock.nowMs() });
  } finally {
    connections.close();
  }
}
