/** Hooks that call a tool of an MCP server of this session. */
import type { McpToolHookConfig } from '../protocol/tools/hook-config.ts';
import { readText } from './read-text.ts';
import type { HookKindRunner } from './registered-hook.ts';

/** Rejects when there is no such tool, or its server is not connected. */
export type CallMcpTool = (
  server: string,
  tool: string,
  input: Record<string, unknown>,
  signal: AbortSignal,
) => Promise<{ readonly text: string; readonly isError: boolean }>;

export function runMcpTool(
  { server, tool, input = {} }: McpToolHookConfig,
  call: CallMcpTool,
): HookKindRunner {
  return async (event, { signal, said }) => {
    const filled = fill(input, event) as Record<string, unknown>;
    const { text, isError } = await call(server, tool, filled, signal);
    said.stdout = text;
    return isError
      ? { kind: 'failed', problem: `the tool ${tool} of ${server} failed: ${text.slice(0, 500)}` }
      : readText(text, event.hook_event_name, true);
  };
}

/** `${a.b}` alone is replaced by the value itself; inside a text by its string form. */
function fill(value: unknown, event: Readonly<Record<string, unknown>>): unknown {
  if (Array.isArray(value)) return value.map((item) => fill(item, event));
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, fill(item, event)]));
  if (typeof value !== 'string') return value;
  const whole = /^\$\{([\w.]+)\}$/.exec(value)?.[1];
  if (whole !== undefined) return at(event, whole);
  return value.replace(/\$\{([\w.]+)\}/g, (_, path: string) => {
    const found = at(event, path);
    return typeof found === 'string' ? found : found === undefined ? '' : JSON.stringify(found);
  });
}

function at(event: Readonly<Record<string, unknown>>, path: string): unknown {
  let value: unknown = event;
  for (const name of path.split('.')) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name];
  }
  return value;
}
