/** Adapts the host's own tools to the server interface of the engine. */
import type { McpClient } from '../../engine/config.ts';
import type { McpToolInfo } from '../../protocol/tools/mcp.ts';
import type { ToolAnnotations } from '../define-tool.ts';
import { fromSdkTool } from '../sdk-tool.ts';
import { onTerms } from './call-terms.ts';
import type { SdkMcpServer } from './mcp-server-config.ts';

/** Tools of `createSdkMcpServer` are called directly, without the protocol. */
export async function ownClient(name: string, server: SdkMcpServer): Promise<McpClient> {
  const client: McpClient = {
    name,
    status: 'connected',
    tools: await Promise.all(server.definitions.map((tool) => fromSdkTool(name, server.name, tool))),
    toolInfos: server.definitions.map(toToolInfo),
    serverInfo: { name: server.name, version: server.version },
    instructions: server.instructions,
  };
  return onTerms(client, server);
}

/** A tool, as status reports list it. */
function toToolInfo({
  name,
  description,
  annotations = {},
}: {
  readonly name: string;
  readonly description?: string | undefined;
  readonly annotations?: ToolAnnotations | undefined;
}): McpToolInfo {
  const { readOnlyHint, destructiveHint, openWorldHint } = annotations;
  return {
    name,
    description,
    annotations: {
      ...(readOnlyHint !== undefined && { readOnly: readOnlyHint }),
      ...(destructiveHint !== undefined && { destructive: destructiveHint }),
      ...(openWorldHint !== undefined && { openWorld: openWorldHint }),
    },
  };
}
