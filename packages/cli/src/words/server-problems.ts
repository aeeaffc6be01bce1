/**
 * MCP servers of a session that it waits for, or that cannot be used; without a notice, their tools would
 * just be missing.
 */
import type { SDKMessage } from '@turnwright/engine';
import { oneLine } from '@turnwright/terminal/text/visible.ts';

type InitMessage = Extract<SDKMessage, { readonly type: 'system'; readonly subtype: 'init' }>;
export function waitingFor(servers: readonly string[]): string {
  return `waiting for the MCP server${servers.length === 1 ? '' : 's'} ${servers.map(oneLine).join(', ')}`;
}

/** Servers that have not answered before the first request. */
export function lateServers({ mcp_servers }: Pick<InitMessage, 'mcp_servers'>): readonly string[] {
  return mcp_servers.flatMap(({ name, status }) =>
    status === 'pending'
      ? [`The MCP server ${oneLine(name)} has not answered yet: the run begins without its tools.`]
      : [],
  );
}

export function serverProblems({ mcp_servers }: Pick<InitMessage, 'mcp_servers'>): readonly string[] {
  return mcp_servers.flatMap(({ name, status, error }) => {
    const shown = oneLine(name);
    if (status === 'failed')
      return [`The MCP server ${shown} cannot be used: ${oneLine(error ?? 'it did not start or answer.')}`];
    if (status === 'needs-auth')
      return [`The MCP server ${shown} wants a login: turnwright mcp login ${shown}`];
    return [];
  });
}
