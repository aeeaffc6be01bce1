/** Values of `mcpServers`: in-process servers, transports of the host, processes to start, URLs. */
import type { ExternalServerConfig, HostServerConfig } from '../../engine/wiring/mcp/mcp.ts';
import type { SdkMcpServer } from '../create-sdk-mcp-server.ts';

export type {
  CallTerms,
  Exchange,
  ExternalServerConfig as ExternalMcpServer,
  JsonRpcMessage,
  LinkedMcpServer,
  McpRemoteServerConfig,
  McpServerInstance,
  McpStdioServerConfig,
} from '../../engine/wiring/mcp/mcp.ts';

export type McpServerConfig = SdkMcpServer | HostServerConfig | ExternalServerConfig;
