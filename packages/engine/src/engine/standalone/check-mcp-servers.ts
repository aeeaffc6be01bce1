/** Whether the MCP servers of a configuration can be used, found out outside of any session. */

import { systemClock, systemRandom } from '@turnwright/base/clock.ts';
import { nodeFiles } from '@turnwright/base/files/node-files.ts';
import { systemIds } from '@turnwright/base/ids/hash-and-uuid.ts';
import { createCredentialStore } from '../../mcp/oauth/credential-store.ts';
import { createMcpServers } from '../../mcp/servers/mcp-servers.ts';
import { createParser } from '../../tools/schema/from-json-schema.ts';
import type { QueryEngineConfig } from '../config.ts';
import { connectWith } from '../connect-with.ts';
import { CALL_IDLE_MS, START_MS } from '../mcp/connected-servers.ts';
import { ServerSandbox } from '../mcp/server-sandbox.ts';
import { serverVariables } from '../mcp/server-variables.ts';
import { VERSION } from '../version.ts';
import { composePermissions } from '../wiring/compose-permissions.ts';
import { type ConfiguredMcpServer, configuredMcpServers } from './mcp-logins.ts';

/** A configured server, and what came of connecting to it. */
export interface CheckedMcpServer extends ConfiguredMcpServer {
  /** `failed`: `problem` says why. */
  readonly status: 'connected' | 'failed' | 'needs-auth';
  /** How many tools it offers. */
  readonly tools?: number;
}

/**
 * Starts or connects to all of them, or those named, in parallel, and closes them again. No person is asked,
 * and their tools are not remembered.
 */
export async function checkConfiguredServers(
  config: QueryEngineConfig,
  { names, signal }: { readonly names: readonly string[] | undefined; readonly signal: AbortSignal },
): Promise<readonly CheckedMcpServer[]> {
  const listed = (await configuredMcpServers(config)).filter(({ name }) => names?.includes(name) !== false);
  const usable = listed.flatMap(({ name, problem }) => (problem === undefined ? [name] : []));
  const { startMs = START_MS, callMs = CALL_IDLE_MS } = config.mcpTimeouts ?? {};
  // The rules of the configuration apply here too; no rules are added.
  const { permissions } = composePermissions(config, {
    files: config.files ?? nodeFiles,
    ids: systemIds,
    clock: systemClock,
    readableDirectories: () => [],
    sandbox: undefined,
    asksAlways: () => false,
    callTool: () => Promise.reject(new Error('No tool is called here.')),
  });
  const surroundings = { permissions: () => permissions, readable: () => [] };
  const sandbox = new ServerSandbox(config, () => surroundings);
  const servers = createMcpServers({
    clock: systemClock,
    random: systemRandom,
    cwd: config.cwd,
    env: config.childEnv ?? {},
    version: VERSION,
    isolateFor: (server) => sandbox.isolateFor(server),
    elicit: undefined,
    parserOf: createParser,
    connect: connectWith(config),
    openings:
      config.home === undefined ? undefined : { configHome: config.home, files: config.files ?? nodeFiles },
    credentials:
      config.home === undefined ? undefined : createCredentialStore(config.home, config.files ?? nodeFiles),
    startMs,
    callIdleMs: callMs,
    taken: new Set(),
    takenServers: () => [],
    entries: (config.mcpServers ?? []).filter(({ name }) => usable.includes(name)),
    variables: (entry) => serverVariables(entry, config),
    onChange: () => undefined,
    warn: (line) => config.stderr?.(line),
    onElicitationComplete: () => undefined,
    onHeld: undefined,
  });
  try {
    servers.start();
    await servers.settled(signal);
    const statuses = new Map(servers.statuses().map((status) => [status.name, status]));
    return listed.map((server): CheckedMcpServer => {
      const found = statuses.get(server.name);
      switch (found?.status) {
        case 'connected':
          return { ...server, status: 'connected', tools: found.tools?.length ?? 0 };
        case 'needs-auth':
          return { ...server, status: 'needs-auth' };
        default:
          return {
            ...server,
            status: 'failed',
            problem: server.problem ?? found?.error ?? `It did not answer within ${startMs / 1_000} s.`,
          };
      }
    });
  } finally {
    await servers.close();
    await sandbox.close();
  }
}
