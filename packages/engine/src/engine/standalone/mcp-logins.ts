/** Logins to the MCP servers of a configuration, outside of any session. */

import { systemClock } from '@turnwright/base/clock.ts';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { type CredentialStore, createCredentialStore } from '../../mcp/oauth/credential-store.ts';
import type { McpServerEntry } from '../../mcp/servers/mcp-servers.ts';
import { isHosts, isRemote, logsInByItself, parseServer } from '../../mcp/servers/parse-server.ts';
import type { McpRemoteServerConfig } from '../../mcp/servers/server-config.ts';
import { refusedServer } from '../../mcp/servers/server-policy.ts';
import { TurnwrightError } from '../../protocol/errors.ts';
import type { QueryEngineConfig } from '../config.ts';
import { connectWith } from '../connect-with.ts';
import { serverVariables } from '../mcp/server-variables.ts';

/** A configured server, as `turnwright mcp list` shows it. Nothing is connected to find this out. */
export interface ConfiguredMcpServer {
  readonly name: string;
  /** Where it was configured. */
  readonly scope: string;
  /** Absent where the configuration cannot be read. */
  readonly type?: 'stdio' | 'http' | 'sse';
  /** The command line, or the address without its query. */
  readonly target: string;
  /** Names of the variables or headers it is given; their values may be secret. */
  readonly given?: readonly string[];
  /** Why it cannot be used. */
  readonly problem?: string;
  /** For remote servers without a configured authorization: whether there is a stored login. */
  readonly loggedIn?: boolean;
}

/** Without the servers of the host itself, which need no login. */
export async function configuredMcpServers(
  config: QueryEngineConfig,
): Promise<readonly ConfiguredMcpServer[]> {
  const listed = await Promise.all(
    (config.mcpServers ?? []).map(async (entry): Promise<ConfiguredMcpServer | undefined> => {
      const { name, scope } = entry;
      const parsed = parseServer(entry.config, serverVariables(entry, config));
      if (!parsed.ok) return { name, scope, target: '', problem: parsed.problem };
      if (isHosts(parsed.config)) return undefined;
      const refused = refusedServer(name, entry.config, config.mcpServerPolicy);
      const problem = refused === undefined ? {} : { problem: refused };
      if (!isRemote(parsed.config)) {
        const { command, args = [], env = {} } = parsed.config;
        const target = [command, ...args].join(' ');
        return { name, scope, type: 'stdio', target, given: Object.keys(env), ...problem };
      }
      const { origin, pathname } = new URL(parsed.config.url);
      const loggedIn =
        hasAuthorization(parsed.config) || logsInByItself(parsed.config)
          ? undefined
          : (await openCredentialStore(config).read(parsed.config.url))?.tokens !== undefined;
      return {
        name,
        scope,
        type: parsed.config.type,
        given: Object.keys(parsed.config.headers ?? {}),
        target: origin + pathname,
        ...(loggedIn !== undefined && { loggedIn }),
        ...problem,
      };
    }),
  );
  return listed.filter((server) => server !== undefined);
}

/**
 * Logs in to a configured server, or to an address. `show` is given the page that a person has to open.
 * Rejects with `invalid_option` when there is no such server; with a sentence when the login does not come
 * about.
 */
export async function logInToMcpServer(
  name: string,
  config: QueryEngineConfig,
  { show, signal }: { show(address: URL): void | Promise<void>; readonly signal: AbortSignal },
): Promise<void> {
  const server = remoteServer(name, config);
  if (hasAuthorization(server))
    throw refusal(`The MCP server "${name}" is configured with an authorization header of its own.`);
  if (logsInByItself(server))
    throw refusal(`The MCP server "${name}" is configured to get its tokens without a person.`);
  const { logInToServer } = await import('../../mcp/oauth/log-in-to-server.ts');
  await logInToServer({
    server,
    store: openCredentialStore(config),
    connect: connectWith(config),
    nowMs: systemClock.nowMs,
    show,
    signal,
  });
}

/** false: there was no login. Rejects with `invalid_option` if there is no such server. */
export async function logOutOfMcpServer(
  name: string,
  config: QueryEngineConfig,
  signal: AbortSignal,
): Promise<boolean> {
  const { url: serverUrl } = remoteServer(name, config);
  const { logOut } = await import('../../mcp/oauth/log-out.ts');
  return logOut({ serverUrl, store: openCredentialStore(config), connect: connectWith(config), signal });
}

function remoteServer(name: string, config: QueryEngineConfig): McpRemoteServerConfig {
  const entry = (config.mcpServers ?? []).find((each) => each.name === name) ?? addressed(name);
  if (entry === undefined) {
    const names = (config.mcpServers ?? []).map((each) => each.name);
    const known = names.length === 0 ? 'None is configured here' : `These are: ${names.join(', ')}`;
    throw refusal(`There is no MCP server "${name}". ${known}. An address works as well.`);
  }
  const refused = refusedServer(name, entry.config, config.mcpServerPolicy);
  if (refused !== undefined) throw refusal(refused);
  const parsed = parseServer(entry.config, serverVariables(entry, config));
  if (!parsed.ok) throw refusal(`The MCP server "${name}" cannot be used. ${parsed.problem}`);
  if (!isRemote(parsed.config))
    throw refusal(`The MCP server "${name}" is a program on this machine: it takes no login.`);
  return parsed.config;
}

function addressed(name: string): Pick<McpServerEntry, 'config' | 'scope'> | undefined {
  return /^https?:\/\//i.test(name) && URL.canParse(name)
    ? { scope: 'option', config: { type: 'http', url: name } }
    : undefined;
}

function hasAuthorization({ headers }: McpRemoteServerConfig): boolean {
  return new Headers({ ...headers }).has('authorization');
}

function openCredentialStore({ home, files = nodeFiles }: QueryEngineConfig): CredentialStore {
  if (home === undefined) throw refusal('There is no home to keep logins in. Set TURNWRIGHT_HOME or HOME.');
  return createCredentialStore(home, files);
}

function refusal(sentence: string): TurnwrightError {
  return new TurnwrightError('invalid_option', sentence);
}
