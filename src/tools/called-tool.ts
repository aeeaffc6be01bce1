import type { CalledTool } from '../protocol/tools/hook.ts';
import type { AnyTool } from '../protocol/tools/tool.ts';

/** The tool of a call, for hooks. */
export function describeCalledTool({ name, mcp }: AnyTool): CalledTool {
  return {
    tool_name: name,
    ...(mcp !== undefined && { mcp_server: { name: mcp.server, source: mcp.source } }),
  };
}
