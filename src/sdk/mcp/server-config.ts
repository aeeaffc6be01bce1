/** What `mcpServers` takes: our own in-process servers, those of the MCP SDK, and servers behind a function. */
import type { SdkMcpServer } from '../create-sdk-mcp-server.ts';
import type { Exchange } from './json-rpc.ts';

/** A server of the MCP SDK that lives in this process (`McpServer`). */
export interface McpServerInstance {
  readonly type: 'sdk';
  readonly name: string;
  readonly instance: { connect(transport: never): Promise<void>; close?(): Promise<void> };
}

/** A server that is spoken to through a function: it may live in another process of the host's. */
export interface LinkedMcpServer {
  readonly type: 'sdk';
  readonly name: string;
  readonly exchange: Exchange;
  /** What the server answered to `initialize` and `tools/list`, when the host has asked it before. */
  readonly manifest?: { readonly initializeResult: unknown; readonly toolsListResult?: unknown } | undefined;
}

/** A server that would have to be started or reached over the network. */
export interface ExternalMcpServer {
  readonly type?: 'stdio' | 'sse' | 'http' | undefined;
  readonly [key: string]: unknown;
}

export type McpServerConfig = SdkMcpServer | McpServerInstance | LinkedMcpServer | ExternalMcpServer;
