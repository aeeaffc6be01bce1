/** Values of `mcpServers`: in-process servers, transports of the host, processes to start, URLs. */
import type { CallTerms, ExternalServerConfig, HostServerConfig } from '../../mcp/servers/server-config.ts';
import type { AnySdkTool } from '../define-tool.ts';

export type { Exchange, JsonRpcMessage } from '../../mcp/connect/json-rpc.ts';
export type {
  CallTerms,
  ExternalServerConfig as ExternalMcpServer,
  LinkedMcpServer,
  McpRemoteServerConfig,
  McpServerInstance,
  McpStdioServerConfig,
} from '../../mcp/servers/server-config.ts';

/** A server in this process, made by `createSdkMcpServer()`. */
export interface SdkMcpServer {
  readonly type: 'sdk';
  readonly name: string;
  readonly version: string;
  readonly definitions: readonly AnySdkTool[];
  readonly instructions?: string | undefined;
  readonly tools?: CallTerms['tools'];
  readonly timeout?: CallTerms['timeout'];
}

/** An MCP server: a program, an address, or a server in this process. */
export type McpServerConfig = SdkMcpServer | HostServerConfig | ExternalServerConfig;
