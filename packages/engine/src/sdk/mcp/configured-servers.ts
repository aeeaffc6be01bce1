/** The MCP servers of a session, and their sources. */
import type { ProjectServerPolicy } from '../../engine/wiring/config-from-settings.ts';
import type { McpServerEntry } from '../../mcp/servers/mcp-servers.ts';
import type { Options } from '../query-options.ts';
import type { McpServerConfig, SdkMcpServer } from './mcp-server-config.ts';

/** Separates in-process servers of `createSdkMcpServer` from servers that speak the protocol. */
export function splitServers(servers: Readonly<Record<string, McpServerConfig>>): {
  readonly own: readonly (readonly [string, SdkMcpServer])[];
  readonly others: Readonly<Record<string, unknown>>;
} {
  const all = Object.entries(servers);
  return {
    own: all.filter((entry): entry is [string, SdkMcpServer] => isOwn(entry[1])),
    others: Object.fromEntries(all.filter(([, server]) => !isOwn(server))),
  };
}

const isOwn = (server: McpServerConfig): server is SdkMcpServer =>
  server.type === 'sdk' && 'definitions' in server;

/** Configurations by server name, as written. */
type Servers = Readonly<Record<string, unknown>>;

/**
 * Servers of files, by scope: the user's for this project and for all projects, and the project's if it may
 * be used.
 */
interface KeptServers {
  readonly local: Servers;
  readonly project: Servers | undefined;
  readonly user: Servers;
}

/**
 * Servers of options and files that speak the protocol (T101, T108). Among servers of one name the first
 * counts, in this order: options, this project (`local`), the project itself, the user.
 */
export function configuredServers(
  { mcpServers = {} }: Options,
  { local, project = {}, user }: KeptServers,
  { enabled, disabled }: ProjectServerPolicy = { enabled: undefined, disabled: [] },
): readonly McpServerEntry[] {
  const ofProject = Object.entries(project).filter(
    ([name]) => enabled?.includes(name) !== false && !disabled.includes(name),
  );
  const taken = new Set(splitServers(mcpServers).own.map(([name]) => name));
  return [
    ...scoped('option', Object.entries(splitServers(mcpServers).others)),
    ...scoped('local', Object.entries(local)),
    ...scoped('project', ofProject),
    ...scoped('user', Object.entries(user)),
  ].filter(({ name }) => !taken.has(name) && taken.add(name));
}

const scoped = (scope: string, servers: readonly (readonly [string, unknown])[]) =>
  servers.map(([name, config]) => ({ name, scope, config }));
