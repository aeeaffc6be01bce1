/** Adapts the host's own tools to the server interface of the engine. */
import type { McpClient } from '../../engine/config.ts';
import { toolOf } from '../sdk-tool.ts';
import { onTerms } from './call-terms.ts';
import type { SdkMcpServer } from './server-config.ts';
import { infoOf } from './tool-info.ts';

/** Tools of `createSdkMcpServer` are called directly, without the protocol. */
export async function ownClient(name: string, server: SdkMcpServer): Promise<McpClient> {
  const client: McpClient = {
    name,
    status: 'connected',
    tools: await Promise.all(server.definitions.map((tool) => toolOf(name, server.name, tool))),
    toolInfos: server.definitions.map(infoOf),
    serverInfo: { name: server.name, version: server.version },
    instructions: server.instructions,
  };
  return onTerms(client, server);
}
