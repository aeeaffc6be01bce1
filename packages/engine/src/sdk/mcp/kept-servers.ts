/** MCP servers in configuration files: listing, adding, removing and checking them outside of a session. */
import { resolve } from 'node:path';
import { systemClock } from '@turnwright/base/clock.ts';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import type { CheckedMcpServer } from '../../engine/standalone/check-mcp-servers.ts';
import type { KeptServer, KeptServersInput, ServerScope } from '../../engine/standalone/kept-mcp-servers.ts';
import { loadConfig } from '../open-engine.ts';
import { resolvePlace } from '../process-place.ts';
import type { Options } from '../query-options.ts';
import type { ExternalMcpServer } from './mcp-server-config.ts';
import type { McpPlace } from './server-logins.ts';

export type { CheckedMcpServer, KeptServer, ServerScope };

type KeptPlace = Pick<Options, 'cwd' | 'env' | 'projectConfigRoot'>;

// Loaded on first use: few programs call these functions.
const load = () => import('../../engine/standalone/kept-mcp-servers.ts');

/**
 * Writes a server to the file of its scope; default `local`: of the user, for this project only. Rejects with
 * `invalid_option` for a name that exists or is invalid and for an invalid configuration, and with
 * `invalid_settings` for a file that cannot be changed, which is then left unchanged.
 *
 * @example
 * ```ts
 * await addMcpServer('issues', { type: 'http', url: 'https://mcp.example.com/mcp' }, { scope: 'user' });
 * ```
 */
export async function addMcpServer(
  name: string,
  server: ExternalMcpServer,
  { scope = 'local', ...place }: KeptPlace & { readonly scope?: ServerScope | undefined } = {},
): Promise<KeptServer> {
  return (await load()).keepServer(name, server, scope, toServersInput(place));
}

/**
 * Removes a server. Default scope: the one that has it. Rejects with `invalid_option` when no scope has it,
 * or several do.
 */
export async function removeMcpServer(
  name: string,
  { scope, ...place }: KeptPlace & { readonly scope?: ServerScope | undefined } = {},
): Promise<KeptServer> {
  return (await load()).dropKeptServer(name, scope, toServersInput(place));
}

/**
 * Connects to the servers that a query with these options would have, or to the named ones, returns their
 * status, and disconnects. The time limit is that of a session (`MCP_TIMEOUT`).
 *
 * @example
 * ```ts
 * for (const { name, ...state } of await checkMcpServers()) console.log(name, state);
 * ```
 */
export async function checkMcpServers({
  names,
  signal = new AbortController().signal,
  ...place
}: McpPlace & {
  readonly names?: readonly string[] | undefined;
  readonly signal?: AbortSignal | undefined;
} = {}): Promise<readonly CheckedMcpServer[]> {
  const config = await loadConfig({ settingSources: ['user', 'project', 'local'], ...place });
  return (await import('../../engine/standalone/check-mcp-servers.ts')).checkConfiguredServers(config, {
    names,
    signal,
  });
}

function toServersInput({ projectConfigRoot, ...place }: KeptPlace): KeptServersInput {
  const { cwd, env } = resolvePlace(place);
  return {
    options: { projectConfigRoot },
    cwd: resolve(cwd),
    env,
    files: nodeFiles,
    nowMs: systemClock.nowMs,
  };
}
