/** In-process MCP servers: a named set of tools that the host implements. */
import { type AnySdkTool, refuseName } from './define-tool.ts';
import type { SdkMcpServer } from './mcp/mcp-server-config.ts';

/**
 * Creates an in-process MCP server for `options.mcpServers`. The model sees its tools as
 * `mcp__<server>__<tool>`, where `<server>` is the key in `mcpServers`. Throws `invalid_option` for a name
 * that the API would refuse.
 *
 * @example
 * ```ts
 * const now = tool('now', 'Tells the time.', {}, async () => ({
 *   content: [{ type: 'text', text: new Date().toISOString() }],
 * }));
 * const clock = createSdkMcpServer({ name: 'clock', tools: [now] });
 * query({ prompt: 'What time is it?', options: { mcpServers: { clock } } });
 * ```
 */
export function createSdkMcpServer(options: {
  readonly name: string;
  /** Default `1.0.0`. */
  readonly version?: string | undefined;
  readonly tools?: readonly AnySdkTool[] | undefined;
  /** Instructions for the model about its tools. */
  readonly instructions?: string | undefined;
  /** true: its tools are never deferred. Default false. */
  readonly alwaysLoad?: boolean | undefined;
  /** Time limit of each call in ms, at least 1,000. Default none. */
  readonly timeout?: number | undefined;
}): SdkMcpServer {
  const { name, version = '1.0.0', tools = [], alwaysLoad, instructions, timeout } = options;
  for (const each of [name, ...tools.map((tool) => tool.name)]) refuseName(each);
  const listed = alwaysLoad === true ? tools.map((tool) => ({ ...tool, alwaysLoad })) : tools;
  return {
    type: 'sdk',
    name,
    version,
    definitions: listed,
    ...(instructions !== undefined && { instructions }),
    ...(timeout !== undefined && { timeout }),
  };
}
