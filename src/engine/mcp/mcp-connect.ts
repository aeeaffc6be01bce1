import { type Connections, openConnections } from '../../model/http/connections.ts';
import type { QueryEngineConfig } from '../config.ts';

/** MCP servers and pages are reached as the model is: by the same settings, trusting the same authorities. */
export function connectWith({
  proxies,
  proxyUrl,
  noProxy,
  ca,
}: QueryEngineConfig): (url: URL) => Connections {
  const both = proxies ?? { http: proxyUrl, https: proxyUrl };
  return (baseUrl) => {
    const proxy = baseUrl.protocol === 'https:' ? both.https : both.http;
    return openConnections({
      baseUrl,
      proxyUrl: proxy === undefined ? undefined : new URL(proxy),
      noProxy,
      ca,
    });
  };
}
