/** Asks the endpoint of a configuration whether it would let a session in. */
import { openConnections } from '../../model/connections.ts';
import { lifeOf } from '../../model/life-of.ts';
import { resolveModelAlias } from '../../model/model-info.ts';
import { type EndpointAnswer, probeEndpoint } from '../../model/probe-endpoint.ts';
import { callerHeaders } from '../../model/request-headers.ts';
import { DEFAULT_BASE_URL } from '../../settings/resolved-config.ts';
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
      model: resolveModelAlias(config.userSpecifiedModel ?? 'default', config.env ?? {}),
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
