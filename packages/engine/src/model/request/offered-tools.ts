/**
 * The tools of a request on the wire. Where the endpoint knows references, a tool that a result in the
 * conversation loads is declared as deferred: it is no part of the cached prefix, so loading it costs its own
 * tokens only (F155). A loaded tool whose result is gone, behind a summary, is declared like any other; and
 * an endpoint that knows no references gets all of them so.
 */

import { oncePer } from '@turnwright/base/collections/made-once.ts';
import type { WireTool } from '../../protocol/model/wire.ts';
import { TOOL_SEARCH_TOOL } from '../../protocol/tools/builtin-tools.ts';

/** Names of the tools that results may refer to. */
export const loadableTools = oncePer(
  (tools: readonly WireTool[]): ReadonlySet<string> =>
    new Set(tools.filter(isLoaded).map(({ name }) => name)),
);

export const NO_TOOLS: ReadonlySet<string> = new Set();

/** As an endpoint without references gets them. */
export const plainTools = oncePer((tools: readonly WireTool[]): readonly WireTool[] =>
  tools.some(isLoaded) ? tools.map(plain) : tools,
);

/** As an endpoint with references gets them; the same array for the same tools and as many references. */
export function withLoadedTools(
  tools: readonly WireTool[],
  referenced: ReadonlySet<string>,
): readonly WireTool[] {
  const before = made.get(tools);
  // What a conversation refers to only grows, or is counted anew behind a summary.
  const key = [...referenced].join();
  if (before?.key === key) return before.tools;
  const now = isSearchable(tools)
    ? [...tools.map((tool) => (referenced.has(tool.name) ? tool : plain(tool))), PLACEHOLDER]
    : plainTools(tools);
  made.set(tools, { key, tools: now });
  return now;
}

const made = new WeakMap<
  readonly WireTool[],
  { readonly key: string; readonly tools: readonly WireTool[] }
>();

/**
 * The API words the beginning of a prompt otherwise as soon as any tool is deferred, so there is one from the
 * first request on.
 */
const PLACEHOLDER: WireTool = {
  name: 'DeferredTools',
  description: 'Stands for the tools that ToolSearch loads. It is never loaded itself.',
  input_schema: { type: 'object', properties: {} },
  defer_loading: true,
};

const isSearchable = (tools: readonly WireTool[]): boolean =>
  tools.some(({ name }) => name === TOOL_SEARCH_TOOL);

function isLoaded({ defer_loading }: WireTool): boolean {
  return defer_loading === true;
}

const plain = oncePer((tool: WireTool): WireTool => {
  if (!isLoaded(tool)) return tool;
  const { defer_loading: _, ...rest } = tool;
  return rest;
});
