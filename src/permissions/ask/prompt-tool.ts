import type { CanUseTool, PermissionResult } from '../../protocol/tools/permission.ts';
import type { ToolOutput } from '../../protocol/tools/tool.ts';

/**
 * A tool that answers permission questions. It gets `tool_name`, `input` and `tool_use_id`, and its
 * text must be the answer as JSON. Errors are thrown; `createAsk` converts them into a denial (F90).
 */
export function promptThrough(
  call: (input: Record<string, unknown>, signal: AbortSignal) => Promise<ToolOutput>,
): CanUseTool {
  return async (toolName, input, { signal, toolUseID }) => {
    const output = await call({ tool_name: toolName, input, tool_use_id: toolUseID }, signal);
    const text = textOf(output);
    if (output.isError === true) throw new Error(`the permission prompt tool failed: ${text.slice(0, 1000)}`);
    try {
      return JSON.parse(text) as PermissionResult;
    } catch {
      throw new Error(
        `the permission prompt tool must answer with JSON such as {"behavior":"allow"}, and said: ${text.slice(0, 200)}`,
      );
    }
  };
}

function textOf({ content }: ToolOutput): string {
  if (typeof content === 'string') return content;
  return content.flatMap((block) => (block.type === 'text' ? [block.text] : [])).join('');
}
