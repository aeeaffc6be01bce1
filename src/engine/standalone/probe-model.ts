/** Asks the endpoint of a configuration whether it would let a session in. */

import { resolveModelAlias } from '../../model/catalog/model-info.ts';
import { openConnections } from '../../model/http/connections.ts';
import { type EndpointAnswer, probeEndpoint } from '../../model/http/probe-endpoint.ts';
import { callerHeaders } from '../../model/http/request-headers.ts';
import { lifeOf } from '../../model/life-of.ts';
import { DEFAULT_BASE_URL } from '../../settings/resolve/resolved-options.ts';
import { systemClock } from '../../util/clock.ts';
import type { QueryEngineConfig } from '../config.ts';
import { VERSION } from '../version.ts';

export type { EndpointAnswer };

export async function probeModel(config: QueryEngineConfig, signal: AbortSignal): Promise<EndpointAnswer> {
  const baseUrl = new URL(config.baseUrl ?? DEFAULT_BASE_URL);
  const connections = openConnections({
    baseUrl,
    proxyUrl: config.proxyUrl === undefined ? undefined : new URL(config.proxyUrl),
    noProxy: config.noProxy,
    ca: config.ca,
  });
  try {
    return await probeEndpoint({
      connections,
      baseUrl,
      model: resolveModelAlias(config.model ?? 'default', config.env ?? {}),
      headers: callerHeaders({
        credential: { apiKey: config.apiKey, authToken: config.authToken },
        userAgent: config.userAgent ?? `turnwright/${VERSION}`,
        custom: config.headers ?? {},
      }),
      life: lifeOf(signal),
      nowMs: systemClock.nowMs(),
    });
  } finally {
    connections.close();
  }
}
