import type { McpToolInfo } from '../../protocol/tools/mcp.ts';
import type { ToolAnnotations } from '../define-tool.ts';

/** A tool, as status reports list it. */
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
