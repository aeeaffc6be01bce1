/** Converts an in-process MCP tool to a Tool of the engine. */

import { withSignal } from '@turnwright/base/async/lazy-signal.ts';
import { serverSlug } from '../mcp/servers/names.ts';
import { createFileKeeper, renderCallResult, toToolOutput } from '../mcp/tools/call-result.ts';
import type { AnyTool, ToolContext } from '../protocol/tools/tool.ts';
import { inputFromZod } from '../tools/schema/from-zod.ts';
import type { AnySdkTool } from './define-tool.ts';

const NONE_TAKEN: ReadonlySet<string> = new Set();

/** `server`: its key in `mcpServers`. Loads zod, for the schema that the model receives. */
export async function fromSdkTool(
  server: string,
  serverName: string,
  definition: AnySdkTool,
): Promise<AnyTool> {
  const { name, description, annotations = {} } = definition;
  const { inputJsonSchema, parse } = await inputFromZod(definition.inputSchema);
  const readOnly = annotations.readOnlyHint === true;
  const tool = `mcp__${serverSlug(server, NONE_TAKEN)}__${name}`;
  return {
    name: tool,
    mcp: {
      server,
      serverName,
      source: 'sdk',
      tool: name,
      ...(annotations.title !== undefined && { title: annotations.title }),
    },
    inputJsonSchema,
    description: () => description,
    ...(definition.alwaysLoad === true && { loading: 'always' as const }),
    ...(definition.searchHint !== undefined && { searchHint: definition.searchHint }),
    parse,
    renderOutput: renderCallResult,
    isReadOnly: () => readOnly,
    isConcurrencySafe: () => readOnly,
    effectClass: () => (readOnly ? 'pure' : annotations.idempotentHint === true ? 'idempotent' : 'unsafe'),
    async run(input: Record<string, unknown>, context: ToolContext) {
      const extra = {
        sessionId: context.sessionId,
        effectKey: context.effectKey,
        cwd: context.cwd,
        _meta: { 'claudecode/toolUseId': context.toolUseId },
      };
      const result = await definition.handler(input, withSignal(extra, context));
      return toToolOutput({ ...result }, { server, tool, keep: createFileKeeper(context) });
    },
  };
}
