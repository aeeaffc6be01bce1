/** The MCP servers of a folder, and logins to them: what a session uses, but never asks for by itself. */
import type { ConfiguredMcpServer } from '../../engine/standalone/mcp-logins.ts';
import { configOf } from '../open-engine.ts';
import type { Options } from '../options.ts';

export type { ConfiguredMcpServer };

export type McpPlace = Pick<
  Options,
  | 'cwd'
  | 'env'
  | 'mcpServers'
  | 'plugins'
  | 'settings'
  | 'settingSources'
  | 'managedSettings'
  | 'managedSettingsFile'
  | 'projectTrusted'
  | 'trustRecorded'
  | 'projectConfigRoot'
  | 'strictMcpConfig'
  | 'stderr'
>;

export interface McpLoginOptions extends McpPlace {
  /** Is given the page that a person has to open, an https address. */
  show(address: URL): void | Promise<void>;
  /** Gives the login up. Default never. */
  readonly signal?: AbortSignal | undefined;
}

// Loaded by the first of these calls, as few programs make any.
const load = () => import('../../engine/standalone/mcp-logins.ts');

/** The servers that a query with these options would start or reach. Connects to none. */
export async function listMcpServers(place: McpPlace = {}): Promise<readonly ConfiguredMcpServer[]> {
  return (await load()).configuredMcpServers(await configIn(place));
}

/**
 * Logs in to a server by its name, or to an address; the tokens are kept in the configuration home, and sessions use
 * and renew them. Rejects with a sentence: `invalid_option` for a server that is not there or takes no login.
 */
export async function mcpLogin(
  name: string,
  { show, signal = never(), ...place }: McpLoginOptions,
): Promise<void> {
  await (await load()).logInToMcpServer(name, await configIn(place), { show, signal });
}

/** Gives the tokens back and forgets them. false: nobody was logged in. */
export async function mcpLogout(
  name: string,
  { signal = never(), ...place }: McpPlace & { readonly signal?: AbortSignal | undefined } = {},
): Promise<boolean> {
  return (await load()).logOutOfMcpServer(name, await configIn(place), signal);
}

function configIn(place: McpPlace) {
  return configOf({ settingSources: ['user', 'project', 'local'], ...place });
}

const never = () => new AbortController().signal;
