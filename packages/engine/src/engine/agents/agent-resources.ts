/**
 * What an agent's definition asks to have around it: MCP servers, and a memory of its own. They end with its
 * scope.
 */

import type { Scope } from '@turnwright/base/async/scope.ts';
import { whileSame } from '@turnwright/base/collections/made-once.ts';
import type { PersistentFiles } from '@turnwright/base/persistent-files.ts';
import type { McpServerEntry } from '../../mcp/servers/mcp-servers.ts';
import type { Clock, RandomPort } from '../../protocol/ports.ts';
import type { AgentDefinition } from '../../protocol/tools/agent.ts';
import type { AnyTool } from '../../protocol/tools/tool.ts';
import { type AgentMemoryPlaces, readAgentMemory } from '../../subagents/agent-memory.ts';
import type { QueryEngineConfig } from '../config.ts';
import type { ServedSession } from '../mcp/connected-servers.ts';
import { McpRoom } from '../mcp/mcp-room.ts';

export interface AgentSurroundings {
  /** The session's tools, and those of its own servers. The same array while nothing changed. */
  readonly tools: () => readonly AnyTool[];
  /** For its system prompt. */
  readonly notes: readonly string[];
  /** Folders that it writes without being asked. */
  readonly ownDirectories: readonly string[];
  /** What it asked for and does not have, a sentence each. */
  readonly problems: readonly string[];
}

interface SurroundingsParts {
  readonly config: QueryEngineConfig;
  /** Every tool of the session. */
  readonly tools: () => readonly AnyTool[];
  readonly mcp: Pick<McpRoom, 'statuses'>;
  readonly files: PersistentFiles;
  readonly clock: Clock;
  readonly random: RandomPort;
  readonly env: Readonly<Record<string, string>>;
  readonly scope: Scope;
  /** Whom its own servers serve. */
  readonly served: ServedSession;
}

/** Never rejects; waits for its servers as long as a connection may take. */
export async function agentSurroundings(
  definition: AgentDefinition,
  parts: SurroundingsParts,
): Promise<AgentSurroundings> {
  const { config, files } = parts;
  const [memory, servers] = await Promise.all([
    readAgentMemory(definition, locateAgentMemory(config), files),
    ownServers(definition, parts),
  ]);
  return {
    tools: servers === undefined ? parts.tools : joined(parts.tools, servers),
    notes: memory?.ok === true ? [memory.prompt] : [],
    ownDirectories: memory?.ok === true ? [memory.folder] : [],
    problems: [
      ...(memory?.ok === false ? [memory.problem] : []),
      ...unavailable(definition, parts.mcp.statuses()),
      ...(servers?.statuses() ?? []).flatMap(({ name, status, error = status }) =>
        status === 'connected' ? [] : [`The MCP server "${name}" is not there: ${error}`],
      ),
    ],
  };
}

/** Where agents keep their memories. */
export const locateAgentMemory = ({ projectRoot, cwd, home }: QueryEngineConfig): AgentMemoryPlaces => ({
  projectRoot: projectRoot ?? cwd,
  configHome: home,
});

/**
 * The servers that it brings along. Their tools do not wait to be loaded: ToolSearch knows those of the
 * session alone.
 */
export function ownServerEntries({ from, mcpServers = [] }: AgentDefinition): readonly McpServerEntry[] {
  return mcpServers.flatMap((server) =>
    typeof server === 'string'
      ? []
      : Object.entries(server).map(([name, config]) => ({
          name,
          // What a repository's agent brings along is the repository's.
          scope: from?.source === 'projectSettings' ? 'project' : 'agent',
          config: typeof config === 'object' ? { alwaysLoad: true, ...config } : config,
        })),
  );
}

async function ownServers(
  definition: AgentDefinition,
  { config, scope, served, ...parts }: SurroundingsParts,
): Promise<McpRoom | undefined> {
  const entries = ownServerEntries(definition);
  if (entries.length === 0) return undefined;
  const own = {
    ...config,
    mcpClients: [],
    mcpServers: entries,
    mcpAwaited: 'all',
    onMcpWait: undefined,
  } as const;
  const servers = new McpRoom(own, parts);
  scope.onClose(() => servers.close());
  servers.serve(served);
  servers.start();
  await servers.settled(scope);
  return servers;
}

function unavailable(
  { mcpServers = [] }: AgentDefinition,
  statuses: ReturnType<McpRoom['statuses']>,
): readonly string[] {
  return mcpServers.flatMap((server) => {
    if (typeof server !== 'string') return [];
    const found = statuses.find(({ name }) => name === server);
    if (found === undefined) return [`The session has no MCP server "${server}".`];
    const { status, error = status } = found;
    return status === 'connected' ? [] : [`The MCP server "${server}" is not there: ${error}`];
  });
}

/** A tool of its own takes the place of one of the session's with the same name. */
function joined(
  session: () => readonly AnyTool[],
  servers: Pick<McpRoom, 'tools'>,
): () => readonly AnyTool[] {
  return whileSame(
    () => [session(), servers.tools] as const,
    ([all, own]) => {
      const names = new Set(own.map(({ name }) => name));
      return [...all.filter(({ name }) => !names.has(name)), ...own];
    },
  );
}
