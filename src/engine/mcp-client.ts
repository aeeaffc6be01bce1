/** An MCP server that the host brings along, already connected. */
import type { McpStatus, McpToolInfo } from '../protocol/tools/mcp.ts';
import type { AnyTool } from '../protocol/tools/tool.ts';

/** A connection to an MCP server: its state is shown in `system/init`, its tools join the engine's. */
export interface McpClient {
  readonly name: string;
  readonly status: McpStatus;
  readonly tools?: readonly AnyTool[] | undefined;
  /** What the server said of itself and its tools, for status reports. */
  readonly instructions?: string | undefined;
  readonly serverInfo?: { readonly name: string; readonly version: string } | undefined;
  readonly toolInfos?: readonly McpToolInfo[] | undefined;
  /** Why there is no connection, in a sentence. */
  readonly error?: string | undefined;
  /** Called once, when the session ends. */
  close?(): void | Promise<void>;
}
