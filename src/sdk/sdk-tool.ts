/** Makes the engine's Tool of an in-process MCP tool. */

import { inputFromZod } from '../engine/compose/zod-input.ts';
import type { AnyTool, ToolContext, ToolOutput } from '../protocol/tool.ts';
import type { ImageBlock, TextBlock } from '../protocol/wire.ts';
import type { AnySdkTool, CallToolContent, CallToolResult } from './define-tool.ts';

/** Loads zod, for the schema that the model is shown. */
export async function toolOf(server: string, definition: AnySdkTool): Promise<AnyTool> {
  const { name, description, annotations = {} } = definition;
  const { inputJsonSchema, parse } = await inputFromZod(definition.inputSchema);
  const readOnly = annotations.readOnlyHint === true;
  return {
    name: `mcp__${server}__${name}`,
    mcp: {
      server,
      source: 'sdk',
      tool: name,
      ...(annotations.title !== undefined && { title: annotations.title }),
    },
    inputJsonSchema,
    description: () => description,
    ...(definition.alwaysLoad === true && { loading: 'always' as const }),
    ...(definition.searchHint !== undefined && { searchHint: definition.searchHint }),
    parse,
    isReadOnly: () => readOnly,
    isConcurrencySafe: () => readOnly,
    effectClass: () => (readOnly ? 'pure' : annotations.idempotentHint === true ? 'idempotent' : 'unsafe'),
    async run(input: Record<string, unknown>, context: ToolContext) {
      const result = await definition.handler(input, {
        get signal() {
          return context.signal;
        },
        sessionId: context.sessionId,
        effectKey: context.effectKey,
        cwd: context.cwd,
        _meta: { 'claudecode/toolUseId': context.toolUseId },
      });
      return outputOf(result);
    },
  };
}

/** The result shape of `tools/call`, as the engine has it. */
export function outputOf(result: CallToolResult): ToolOutput {
  const blocks = (result.content ?? []).map(blockOf);
  // A structured answer that nobody put into words is shown as its JSON.
  if (blocks.length === 0 && result.structuredContent !== undefined) {
    blocks.push({ type: 'text', text: JSON.stringify(result.structuredContent) });
  }
  return {
    data: result.structuredContent ?? result.content,
    content: blocks,
    ...(result.isError === true && { isError: true }),
    ...(result._meta?.['claude/endTurn'] === true && { endsTurn: true }),
  };
}

function blockOf(content: CallToolContent): TextBlock | ImageBlock {
  switch (content.type) {
    case 'text':
      return { type: 'text', text: content.text };
    case 'image':
      return { type: 'image', source: { type: 'base64', media_type: content.mimeType, data: content.data } };
    case 'resource_link':
      return {
        type: 'text',
        text: `${content.name}: ${content.uri}${content.description === undefined ? '' : ` (${content.description})`}`,
      };
    case 'resource':
      return { type: 'text', text: `From ${content.resource.uri}:\n${content.resource.text ?? '(binary)'}` };
    default:
      return { type: 'text', text: JSON.stringify(content) };
  }
}
