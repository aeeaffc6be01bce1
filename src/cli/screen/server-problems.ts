/**
 * MCP servers of a session that it waits for, or that cannot be used; without a notice, their tools would
 * just be missing.
 */
import type { Query, SDKMessage } from '../../index.ts';
import { oneLine } from '../../terminal/text/visible.ts';

type InitMessage = Extract<SDKMessage, { readonly type: 'system'; readonly subtype: 'init' }>;
type Ask = Query['mcpServerStatus'];

interface AwaitedServers {
  ask: Ask | undefined;
  /** The current notice, from the last poll. */
  look(): string | undefined;
  /** The session has started. */
  done(): void;
}

/** Servers that a session waits for before its first request, during which nothing else is shown. */
export function createAwaitedServers(): AwaitedServers {
  let names: readonly string[] = [];
  let isAsking = false;
  const refresh = async (ask: Ask) => {
    isAsking = true;
    const statuses = await ask().catch(() => []);
    names = statuses.flatMap(({ name, status }) => (status === 'pending' ? [name] : []));
    isAsking = false;
  };
  const servers: AwaitedServers = {
    ask: undefined,
    look() {
      const { ask } = servers;
      if (ask === undefined) return undefined;
      if (!isAsking) void refresh(ask);
      if (names.length === 0) return undefined;
      return waitingFor(names);
    },
    done() {
      servers.ask = undefined;
    },
  };
  return servers;
}

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
