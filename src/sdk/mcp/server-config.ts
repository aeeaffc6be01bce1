/** Values of `mcpServers`: in-process servers, transports of the host, processes to start, URLs. */
import type { ExternalServerConfig, HostServerConfig } from '../../mcp/servers/server-config.ts';
import type { SdkMcpServer } from '../create-sdk-mcp-server.ts';

export type { Exchange, JsonRpcMessage } from '../../mcp/connect/json-rpc.ts';
export type {
  CallTerms,
  ExternalServerConfig as ExternalMcpServer,
  LinkedMcpServer,
  McpRemoteServerConfig,
  McpServerInstance,
  McpStdioServerConfig,
} from '../../mcp/servers/server-config.ts';

export type McpServerConfig = SdkMcpServer | HostServerConfig | ExternalServerConfig;
