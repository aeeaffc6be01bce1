/** MCP servers that a session waits for before its first request, during which nothing else is shown. */
import type { Query } from '../../index.ts';
import { oneLine } from './visible.ts';

type Ask = Query['mcpServerStatus'];

interface AwaitedServers {
  ask: Ask | undefined;
  /** The current notice, from the last poll. */
  look(): string | undefined;
  /** The session has started. */
  done(): void;
}

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
      return `waiting for the MCP server${names.length === 1 ? '' : 's'} ${names.map(oneLine).join(', ')}`;
    },
    done() {
      servers.ask = undefined;
    },
  };
  return servers;
}
