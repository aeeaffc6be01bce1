import type { ConnectPort } from '../../mcp/connect/http-fetch.ts';
import { openConnections } from '../../model/http/connections.ts';
import type { QueryEngineConfig } from '../config.ts';

/** Servers are reached as the model is: through the same proxy, trusting the same authorities. */
export function connectWith({ proxyUrl, noProxy, ca }: QueryEngineConfig): ConnectPort {
  return (baseUrl) =>
    openConnections({
      baseUrl,
      proxyUrl: proxyUrl === undefined ? undefined : new URL(proxyUrl),
      noProxy,
      ca,
    });
}
