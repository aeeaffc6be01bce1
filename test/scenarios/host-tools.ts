/** Tools of the host, through the public `tool()`. */
import {
  createSdkMcpServer,
  type Options,
  type ToolAnnotations,
  type ToolCallExtra,
  tool,
} from '@turnwright/engine';

/** A tool that answers with what the function gives; the model knows it as `mcp__host__<name>`. */
export function hostTool(
  name: string,
  answer: (extra: ToolCallExtra) => string | Promise<string>,
  annotations: ToolAnnotations = {},
) {
  const handler = async (_input: unknown, extra: ToolCallExtra) => ({
    content: [{ type: 'text' as const, text: await answer(extra) }],
  });
  return tool(name, `The ${name} tool.`, {}, handler, { annotations });
}

export function hostTools(...tools: readonly ReturnType<typeof hostTool>[]): Pick<Options, 'mcpServers'> {
  return { mcpServers: { host: createSdkMcpServer({ name: 'host', tools }) } };
}
