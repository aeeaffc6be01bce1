/** Which MCP servers a session has, and where each is from. */
import type { McpServerEntry } from '../../engine/wiring/mcp/mcp.ts';
import type { ProjectServerPolicy } from '../../engine/wiring/settings.ts';
import type { SdkMcpServer } from '../create-sdk-mcp-server.ts';
import type { Options } from '../options.ts';
import type { McpServerConfig } from './server-config.ts';

/** The host's own tools, and servers that a protocol is spoken with. */
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

/** Servers by name, as they are written. */
type Servers = Readonly<Record<string, unknown>>;

/** Those that files hold, by scope: the user's for this project and for all, and the project's where it may be used. */
export interface KeptServers {
  readonly local: Servers;
  readonly project: Servers | undefined;
  readonly user: Servers;
}

/**
 * The servers of options and files that a protocol is spoken with (T101, T108). Of several of one name the first counts:
 * that of the options, of this project (`local`), of the project itself, of the user.
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
