import { type Connections, openConnections } from '@turnwright/base/http/connections.ts';
import type { QueryEngineConfig } from './config.ts';

/**
 * MCP servers, pages and hooks are reached as the model is: by the same settings, trusting the same
 * authorities.
 */
export function connectWith({
  proxies,
  proxyUrl,
  noProxy,
  ca,
}: Pick<QueryEngineConfig, 'ca' | 'noProxy' | 'proxies' | 'proxyUrl'>): (url: URL) => Connections {
  const both = proxies ?? { http: proxyUrl, https: proxyUrl };
  return (baseUrl) =>
    openConnections({
      baseUrl,
      proxyUrl: baseUrl.protocol === 'https:' ? both.https : both.http,
      noProxy,
      ca,
    });
}
