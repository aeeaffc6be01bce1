/** From an entry of `mcpServers` to the connection the engine works with. A server that fails keeps nobody waiting. */
import type { McpClient } from '../../engine/config.ts';
import type { SdkMcpServer } from '../create-sdk-mcp-server.ts';
import { toolOf } from '../sdk-tool.ts';
import { onTerms } from './call-terms.ts';
import { linkToInstance } from './instance-link.ts';
import type { Exchange } from './json-rpc.ts';
import { infoOf, toolOfListed } from './listed-tool.ts';
import { openMcpSession } from './mcp-session.ts';
import type { LinkedMcpServer, McpServerConfig } from './server-config.ts';

/** How long handshake and list of tools may take together, ms. */
const HANDSHAKE_MS = 30_000;

/** Never rejects for what a server does; `status` and `error` say how it went. */
export async function connectServer(name: string, config: McpServerConfig): Promise<McpClient> {
  const client = await connected(name, config);
  return config.type === 'sdk' ? onTerms(client, config) : client;
}

async function connected(name: string, config: McpServerConfig): Promise<McpClient> {
  if (isOwn(config)) return ownClient(name, config);
  if ('exchange' in config) return linkedClient(name, config.exchange as Exchange, manifestOf(config));
  if ('instance' in config) {
    const link = await linkToInstance(config.instance as never).catch((error: unknown) => messageOf(error));
    if (typeof link === 'string') return failed(name, link);
    return { ...(await linkedClient(name, link.exchange, undefined)), close: link.close };
  }
  return failed(name, 'Its configuration of type "sdk" holds neither tools nor an instance.');
}

async function linkedClient(
  name: string,
  exchange: Exchange,
  manifest: LinkedMcpServer['manifest'],
): Promise<McpClient> {
  try {
    const session = await openMcpSession(exchange, manifest, AbortSignal.timeout(HANDSHAKE_MS));
    return {
      name,
      status: 'connected',
      tools: session.tools.map((tool) => toolOfListed(name, tool, session)),
      toolInfos: session.tools.map(infoOf),
      serverInfo: session.serverInfo,
      instructions: session.instructions,
    };
  } catch (error) {
    return failed(name, messageOf(error));
  }
}

async function ownClient(name: string, server: SdkMcpServer): Promise<McpClient> {
  return {
    name,
    status: 'connected',
    tools: await Promise.all(server.definitions.map((tool) => toolOf(name, tool))),
    toolInfos: server.definitions.map(infoOf),
    serverInfo: { name: server.name, version: server.version },
    instructions: server.instructions,
  };
}

const isOwn = (config: McpServerConfig): config is SdkMcpServer =>
  config.type === 'sdk' && 'definitions' in config;

const manifestOf = (config: McpServerConfig) =>
  'manifest' in config ? (config as LinkedMcpServer).manifest : undefined;

const failed = (name: string, error: string): McpClient => ({ name, status: 'failed', error });

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
