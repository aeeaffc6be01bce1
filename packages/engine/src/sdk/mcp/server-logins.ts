/** MCP servers of a folder, and logins to them. A session uses logins but never starts one. */
import type { ConfiguredMcpServer } from '../../engine/standalone/mcp-logins.ts';
import { loadConfig } from '../open-engine.ts';
import type { Options } from '../query-options.ts';

export type { ConfiguredMcpServer };

/** The options of `query()` that decide which MCP servers there are. */
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

/** The servers to choose from, and how the user opens the page of the login. */
export interface McpLoginOptions extends McpPlace {
  /** Receives the https address of the page that the user has to open. */
  show(address: URL): void | Promise<void>;
  /** Aborts the login. Default never. */
  readonly signal?: AbortSignal | undefined;
}

// Loaded on first use: few programs call these functions.
const load = () => import('../../engine/standalone/mcp-logins.ts');

/** The servers that a query with these options would start or connect to. Connects to none. */
export async function listMcpServers(place: McpPlace = {}): Promise<readonly ConfiguredMcpServer[]> {
  return (await load()).configuredMcpServers(await configIn(place));
}

/**
 * Logs in to a server by its name, or to a URL. Tokens are stored in the configuration home; sessions use and
 * renew them. Rejects with `invalid_option` for an unknown server and for one without login.
 */
export async function mcpLogin(
  name: string,
  { show, signal = never(), ...place }: McpLoginOptions,
): Promise<void> {
  await (await load()).logInToMcpServer(name, await configIn(place), { show, signal });
}

/** Revokes and deletes the tokens. false: there were none. */
export async function mcpLogout(
  name: string,
  { signal = never(), ...place }: McpPlace & { readonly signal?: AbortSignal | undefined } = {},
): Promise<boolean> {
  return (await load()).logOutOfMcpServer(name, await configIn(place), signal);
}

function configIn(place: McpPlace) {
  return loadConfig({ settingSources: ['user', 'project', 'local'], ...place });
}

const never = () => new AbortController().signal;
