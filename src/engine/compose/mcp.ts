/** MCP in a session: servers that the host brings along, and those that the MCP room connects to. */

import type { ServerInstructions } from '../../attachments/mcp-instructions.ts';
import { cleanText } from '../../mcp/clean-text.ts';
import type { ConnectPort } from '../../mcp/http-fetch.ts';
import {
  createMcpServers,
  MAX_INSTRUCTIONS_CHARS,
  type McpServerEntry,
  type McpServers,
  type SetServersResult,
} from '../../mcp/mcp-servers.ts';
import { createCredentialStore } from '../../mcp/oauth/credential-store.ts';
import { createPinStore } from '../../mcp/pin-store.ts';
import {
  isPolicyList,
  LEAST_HOST_TIMEOUT_MS,
  type McpToolPolicy,
  parseServers,
  strictPolicies,
} from '../../mcp/server-config.ts';
import { refusedServer } from '../../mcp/server-policy.ts';
import { configuredPolicy } from '../../mcp/tool-policy.ts';
import { openConnections } from '../../model/connections.ts';
import type { Command } from '../../protocol/command.ts';
import type { PersistentFiles } from '../../protocol/files.ts';
import type { HookPort } from '../../protocol/hook.ts';
import type { Clock, RandomPort } from '../../protocol/ports.ts';
import type { AnyTool } from '../../protocol/tool.ts';
import { whileSame } from '../../util/while-same.ts';
import type { McpClient, QueryEngineConfig } from '../config.ts';
import { elicitWithHooks } from '../elicit-with-hooks.ts';
import { type McpServerStatus, mcpStatusOf } from '../session-facts.ts';
import type { SessionNotices } from '../session-notices.ts';
import { VERSION } from '../version.ts';
import { parserOf } from './json-input.ts';

export type { Exchange, JsonRpcMessage } from '../../mcp/json-rpc.ts';
export type {
  CallTerms,
  ExternalServerConfig,
  HostServerConfig,
  LinkedMcpServer,
  McpRemoteServerConfig,
  McpServerInstance,
  McpStdioServerConfig,
} from '../../mcp/server-config.ts';
export type { McpServerEntry, McpToolPolicy, SetServersResult };
export { configuredPolicy, isPolicyList, LEAST_HOST_TIMEOUT_MS, parseServers, strictPolicies };

/** ms that connecting may take, that a call may be silent, and that the first request waits for servers. */
const START_MS = 30_000;
const CALL_IDLE_MS = 5 * 60_000;
const FIRST_REQUEST_MS = 3_000;

export interface McpRoom {
  /** Begins to connect; later calls change nothing. */
  start(): void;
  /** Connects the servers that live with the host; resolves when each was tried. */
  startHosts(): Promise<void>;
  /** Before the first request: waits until every server was tried once, but not long, nor beyond an abort. */
  settled(signal: AbortSignal): Promise<void>;
  /** The same array while nothing changed. */
  readonly tools: readonly AnyTool[];
  readonly commands: readonly Command[];
  /** What servers say about their use; the same array while nothing changed. */
  readonly instructions: readonly ServerInstructions[];
  statuses(): readonly McpServerStatus[];
  readResource(server: string, uri: string, signal: AbortSignal): Promise<Readonly<Record<string, unknown>>>;
  /** Whether calls of this server's tools are decided as in mode `default`. */
  setModeOverride(server: string, on: boolean): void;
  isOverridden(tool: string): boolean;
  reconnect(name: string): Promise<void>;
  setEnabled(name: string, on: boolean): Promise<void>;
  setServers(
    configs: Readonly<Record<string, unknown>>,
    clients: readonly McpClient[],
  ): Promise<SetServersResult>;
  /** Makes these the servers of plugins; one whose configuration is the same goes on as it is. */
  setPluginServers(entries: readonly McpServerEntry[]): Promise<SetServersResult>;
  /** From now on servers are answered, and heard, by this session. */
  serve(session: ServedSession): void;
  close(): Promise<void>;
}

/** The session that the connections serve at the moment; another one follows when it is cleared. */
export interface ServedSession {
  readonly notices: Pick<SessionNotices, 'say' | 'elicitationComplete'>;
  readonly hooks: HookPort;
}

export interface McpParts {
  readonly files: PersistentFiles;
  readonly clock: Clock;
  readonly random: RandomPort;
  /** Of child processes. */
  readonly env: Readonly<Record<string, string>>;
}

/**
 * The built-in tools, those of MCP servers, the engine's own, then those that come with time: the same array while
 * nothing changed.
 */
export function withMcpTools(
  before: readonly AnyTool[],
  mcp: Pick<McpRoom, 'tools'>,
  own: () => readonly AnyTool[],
  late: { readonly tools: readonly AnyTool[] },
): () => readonly AnyTool[] {
  return whileSame(
    () => [mcp.tools, own(), late.tools] as const,
    ([ofServers, ofEngine, withTime]) => {
      const after = [...ofEngine, ...withTime];
      // What a server calls a tool must not take the place of another, nor stop the session.
      const taken = new Set([...before, ...after].map((tool) => tool.name));
      const fresh = ofServers.filter(({ name }) => !taken.has(name) && taken.add(name));
      return [...before, ...fresh, ...after];
    },
  );
}

export function composeMcp(config: QueryEngineConfig, parts: McpParts): McpRoom {
  const isRefused = (name: string, server?: unknown) => {
    const reason = refusedServer(name, server, config.mcpServerPolicy);
    if (reason !== undefined) config.stderr?.(reason);
    return reason !== undefined;
  };
  const own = (config.mcpClients ?? []).filter(({ name }) => !isRefused(name));
  const {
    startMs = START_MS,
    callMs = CALL_IDLE_MS,
    firstRequestMs = FIRST_REQUEST_MS,
  } = config.mcpTimeouts ?? {};
  /** Set while the session ran. */
  let added: readonly McpClient[] = [];
  const switchedOff = new Set<string>();
  let tools: readonly AnyTool[] | undefined;
  let instructions: readonly ServerInstructions[] = [];
  const overridden = new Set<string>();
  let waited = false;
  let closing: Promise<void> | undefined;
  let served: ServedSession | undefined;
  const session = (): ServedSession => {
    if (served === undefined) throw new Error('The MCP servers were started before their session.');
    return served;
  };

  const clients = () => [...own, ...added];
  const ownTools = (all: readonly McpClient[]) => all.flatMap((client) => client.tools ?? []);
  const servers: McpServers = createMcpServers({
    clock: parts.clock,
    random: parts.random,
    cwd: config.cwd,
    env: parts.env,
    version: VERSION,
    elicit: elicitWithHooks(config.handleElicitation, () => session().hooks),
    parserOf,
    connect: connectWith(config),
    credentials: config.home === undefined ? undefined : createCredentialStore(config.home, parts.files),
    startMs,
    callIdleMs: callMs,
    taken: new Set(ownTools(own).map((tool) => tool.name)),
    takenServers: new Set(own.map((client) => client.name)),
    entries: (config.mcpServers ?? []).filter((entry) => !isRefused(entry.name, entry.config)),
    variables: config.env ?? {},
    onChange: () => {
      tools = undefined;
    },
    warn: (line) => config.stderr?.(line),
    onElicitationComplete: (...which) => session().notices.elicitationComplete(...which),
    onHeld:
      config.mcpToolChanges === 'accept'
        ? undefined
        : (line) => {
            config.stderr?.(line);
            session().notices.say(line);
          },
    // The servers of a folder come back with it, and with them what was agreed to.
    pinStore: ({ name, scope, config: configuration }) =>
      scope !== 'project' || config.home === undefined
        ? undefined
        : createPinStore(
            {
              configHome: config.home,
              projectRoot: config.projectRoot ?? config.cwd,
              server: name,
              configuration,
            },
            parts.files,
          ),
  });

  return {
    start: () => servers.start(),
    startHosts: () => servers.startHosts(),
    async settled(signal) {
      if (waited || (config.mcpServers ?? []).length === 0) return;
      waited = true;
      await servers.settled(firstRequestMs, signal).catch(() => undefined);
    },
    get tools() {
      tools ??= [...ownTools(clients().filter((client) => !switchedOff.has(client.name))), ...servers.tools];
      return tools;
    },
    get commands() {
      return servers.commands;
    },
    get instructions() {
      const inProcess = clients().flatMap(({ name: server, instructions: text }) =>
        text === undefined || text === '' || switchedOff.has(server)
          ? []
          : [{ server, text: cleanText(text, MAX_INSTRUCTIONS_CHARS) }],
      );
      const now = [...inProcess, ...servers.instructions];
      if (JSON.stringify(now) !== JSON.stringify(instructions)) instructions = now;
      return instructions;
    },
    statuses: () => [
      ...mcpStatusOf({ mcpClients: clients() }).map((status) =>
        switchedOff.has(status.name) ? { ...status, status: 'disabled' as const } : status,
      ),
      ...servers.statuses(),
    ],
    readResource: (name, uri, signal) => {
      if (clients().some((client) => client.name === name))
        throw new Error(`The MCP server "${name}" is the host's own tools: it has no resources.`);
      return servers.readResource(name, uri, signal);
    },
    setModeOverride(name, on) {
      if (on) overridden.add(name);
      else overridden.delete(name);
    },
    isOverridden: (tool) =>
      [...overridden].some((name) =>
        tool.startsWith(`mcp__${servers.slugOf(name) ?? name.replaceAll(/[^a-zA-Z0-9_-]/g, '_')}__`),
      ),
    async reconnect(name) {
      // What lives in this process is always at hand.
      if (clients().some((client) => client.name === name)) return;
      await servers.reconnect(name);
    },
    async setEnabled(name, on) {
      if (!clients().some((client) => client.name === name)) return servers.setEnabled(name, on);
      if (on) switchedOff.delete(name);
      else switchedOff.add(name);
      tools = undefined;
    },
    async setServers(given, brought) {
      const configs = Object.fromEntries(
        Object.entries(given).filter(([name, server]) => !isRefused(name, server)),
      );
      const coming = brought.filter(({ name }) => !isRefused(name));
      const leaving = added.filter(({ name }) => !coming.some((client) => client.name === name));
      const before = added;
      added = coming;
      tools = undefined;
      const [result] = await Promise.all([
        servers.setDynamic(configs),
        Promise.allSettled(before.map(async (client) => client.close?.())),
      ]);
      const failed = coming.filter(({ status }) => status !== 'connected');
      return {
        added: [
          ...coming
            .filter(({ name }) => !before.some((client) => client.name === name))
            .map(({ name }) => name),
          ...result.added,
        ],
        removed: [...leaving.map(({ name }) => name), ...result.removed],
        errors: {
          ...Object.fromEntries(failed.map(({ name, error, status }) => [name, error ?? status])),
          ...result.errors,
        },
      };
    },
    serve(next) {
      served = next;
    },
    setPluginServers: (entries) =>
      servers.setScope('plugin', Object.fromEntries(entries.map(({ name, config }) => [name, config]))),
    close() {
      closing ??= Promise.allSettled([
        servers.close(),
        ...clients().map(async (client) => client.close?.()),
      ]).then(() => undefined);
      return closing;
    },
  };
}

/** Servers are reached as the model is: through the same proxy, trusting the same authorities. */
export function connectWith({ proxyUrl, noProxy, ca }: QueryEngineConfig): ConnectPort {
  return (baseUrl) =>
    openConnections({
      baseUrl,
      proxyUrl: proxyUrl === undefined ? undefined : new URL(proxyUrl),
      noProxy,
      ca,
    });
}
