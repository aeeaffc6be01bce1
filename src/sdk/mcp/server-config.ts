/** What `mcpServers` takes: servers in this process, behind a function, of their own process, over the network. */
import type { McpRemoteServerConfig, McpStdioServerConfig } from '../../engine/compose/mcp.ts';
import type { SdkMcpServer } from '../create-sdk-mcp-server.ts';
import type { CallTerms } from './call-terms.ts';
import type { Exchange } from './json-rpc.ts';

/** A server of the MCP SDK that lives in this process (`McpServer`). */
export interface McpServerInstance extends CallTerms {
  readonly type: 'sdk';
  readonly name: string;
  readonly instance: { connect(transport: never): Promise<void>; close?(): Promise<void> };
}

/** A server that is spoken to through a function: it may live in another process of the host's. */
export interface LinkedMcpServer extends CallTerms {
  readonly type: 'sdk';
  readonly name: string;
  readonly exchange: Exchange;
  /** What the server answered to `initialize` and `tools/list`, when the host has asked it before. */
  readonly manifest?: { readonly initializeResult: unknown; readonly toolsListResult?: unknown } | undefined;
}

/** A server that is started, or reached over the network. */
export type ExternalMcpServer = McpStdioServerConfig | McpRemoteServerConfig;

export type { McpRemoteServerConfig, McpStdioServerConfig };

export type McpServerConfig = SdkMcpServer | McpServerInstance | LinkedMcpServer | ExternalMcpServer;
