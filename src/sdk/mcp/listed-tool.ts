/** Makes the engine's Tool of one that an MCP server lists. */
import { parserOf } from '../../engine/compose/json-input.ts';
import type { McpToolInfo } from '../../engine/config.ts';
import type { JsonSchema } from '../../protocol/json.ts';
import type { AnyTool, ToolContext } from '../../protocol/tool.ts';
import type { CallToolResult, ToolAnnotations } from '../define-tool.ts';
import { outputOf } from '../sdk-tool.ts';
import type { ListedTool, McpSession } from './mcp-session.ts';

export function toolOfListed(server: string, tool: ListedTool, session: Pick<McpSession, 'call'>): AnyTool {
  const { annotations = {}, description = '' } = tool;
  const schema: JsonSchema = { type: 'object', ...tool.inputSchema };
  const { $schema: _dialect, ...inputJsonSchema } = schema;
  const readOnly = annotations.readOnlyHint === true;
  return {
    name: `mcp__${apiName(server)}__${apiName(tool.name)}`,
    inputJsonSchema,
    description: () => description,
    ...(tool._meta?.['anthropic/alwaysLoad'] === true && { loading: 'always' as const }),
    parse: parserOf(inputJsonSchema),
    isReadOnly: () => readOnly,
    isConcurrencySafe: () => readOnly,
    effectClass: () => (readOnly ? 'pure' : annotations.idempotentHint === true ? 'idempotent' : 'unsafe'),
    async run(input: unknown, context: ToolContext) {
      const meta = { 'claudecode/toolUseId': context.toolUseId, 'turnwright/effectKey': context.effectKey };
      const result = await session.call(tool.name, input, meta, context.signal);
      return outputOf(result as CallToolResult);
    },
  };
}

export function infoOf({
  name,
  description,
  annotations = {},
}: {
  readonly name: string;
  readonly description?: string | undefined;
  readonly annotations?: ToolAnnotations | undefined;
}): McpToolInfo {
  const { readOnlyHint, destructiveHint, openWorldHint } = annotations;
  return {
    name,
    description,
    annotations: {
      ...(readOnlyHint !== undefined && { readOnly: readOnlyHint }),
      ...(destructiveHint !== undefined && { destructive: destructiveHint }),
      ...(openWorldHint !== undefined && { openWorld: openWorldHint }),
    },
  };
}

/** The API takes letters, digits, `_` and `-` in a tool's name. */
function apiName(name: string): string {
  return name.replaceAll(/[^a-zA-Z0-9_-]/g, '_');
}
