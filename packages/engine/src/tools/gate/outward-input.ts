/** The input of a call for hooks, hosts and lists of denials. */

import { absolutePath, type PathBase } from '@turnwright/base/files/home-path.ts';
import type { JsonObject } from '../../protocol/json.ts';
import type { CalledTool } from '../../protocol/tools/hook.ts';
import type { AnyTool } from '../../protocol/tools/tool.ts';
import { observableInput, withoutDerived } from './observable-input.ts';

/** A copy with derived fields and absolute paths. */
export function outwardInput(
  tool: AnyTool | undefined,
  raw: JsonObject,
  base: PathBase,
): Record<string, unknown> {
  const copy = structuredClone(observableInput(tool, raw)) as Record<string, unknown>;
  for (const field of tool?.pathFields ?? []) {
    const path = copy[field];
    if (typeof path === 'string' && path !== '' && !path.includes('\0'))
      copy[field] = absolutePath(path, base);
  }
  return copy;
}

/** A returned input, with the model's spelling where it was not changed. */
export function inputSentBack(
  tool: AnyTool,
  raw: JsonObject,
  sentBack: JsonObject,
  base: PathBase,
): JsonObject {
  const own = withoutDerived(tool, raw, sentBack);
  const shown = outwardInput(tool, raw, base);
  const unchanged = (tool.pathFields ?? []).filter(
    (field) => Object.hasOwn(raw, field) && own[field] === shown[field],
  );
  return unchanged.length === 0
    ? own
    : { ...own, ...Object.fromEntries(unchanged.map((field) => [field, raw[field]])) };
}

/** The tool of a call, for hooks. */
export function describeCalledTool({ name, mcp }: AnyTool): CalledTool {
  return {
    tool_name: name,
    ...(mcp !== undefined && { mcp_server: { name: mcp.server, source: mcp.source } }),
  };
}
