/** Asks the endpoint of a configuration whether it would let a session in. */

import { systemClock } from '@turnwright/base/clock.ts';
import { openConnections } from '@turnwright/base/http/connections.ts';
import { type Endpoint, type EndpointAnswer, probeEndpoint } from '../../model/http/probe-endpoint.ts';
import { callerHeaders } from '../../model/http/request-headers.ts';
import { toLife } from '../../model/life-of.ts';
import { hasAddress } from '../../protocol/model/provider.ts';
import { spokenApi } from '../../protocol/model/provider-config.ts';
import type { QueryEngineConfig } from '../config.ts';
import { configuredAccess } from '../models/configured-access.ts';
import { modelsRoot } from '../models/open-model-client.ts';
import { formatUserAgent } from '../version.ts';

export type { EndpointAnswer };

export async function probeConfiguredModel(
  config: QueryEngineConfig,
  signal: AbortSignal,
): Promise<EndpointAnswer> {
  const { model, name, provider } = configuredAccess(config);
  if (!hasAddress(provider.type))
    return { kind: 'unreachable', message: `The provider ${name} has no address that could be asked.` };
  const { path: answers } = spokenApi(provider);
  return withEndpoint(config, signal, (endpoint) => probeEndpoint({ ...endpoint, model, answers }));
}

/** The provider of the configured model, with its credentials; its sockets are released afterwards. */
export async function withEndpoint<T>(
  config: QueryEngineConfig,
  signal: AbortSignal,
  use: (endpoint: Endpoint) => Promise<T>,
): Promise<T> {
  const { provider, credential, headers: custom = {}, ...access } = configuredAccess(config);
  const baseUrl = new URL(access.baseUrl);
  const connections = openConnections({
    baseUrl,
    proxyUrl: config.proxyUrl,
    noProxy: config.noProxy,
    ca: config.ca,
  });
  const userAgent = formatUserAgent(config);
  try {
    return await use({
      connections,
      baseUrl,
      root: modelsRoot(provider, config),
      headers: callerHeaders({ credential, userAgent, custom }),
      life: toLife(signal),
      nowMs: systemClock.nowMs(),
    });
  } finally {
    connections.close();
  }
}
