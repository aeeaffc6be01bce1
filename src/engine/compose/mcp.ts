/** MCP in a session: servers that the host brings along, and those that the MCP room connects to. */

import type { ServerInstructions } from '../../attachments/mcp-instructions.ts';
import { cleanText } from '../../mcp/clean-text.ts';
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
import type { Command } from '../../protocol/command.ts';
import type { PersistentFiles } from '../../protocol/files.ts';
import type { HookPort } from '../../protocol/hook.ts';
import type { Clock, RandomPort } from '../../protocol/ports.ts';
import type { AnyTool } from '../../protocol/tool.ts';
import type { McpClient, QueryEngineConfig } from '../config.ts';
import { elicitWithHooks } from '../elicit-with-hooks.ts';
import { type McpServerStatus, mcpStatusOf } from '../session-facts.ts';
import type { SessionNotices } from '../session-notices.ts';
import { VERSION } from '../version.ts';
import { parserOf } from './json-input.ts';
import { connectWith } from './mcp-connect.ts';

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

/** The MCP servers of a session, those that the host brought along and those that are connected to. */
export class McpRoom {
  readonly #config: QueryEngineConfig;
  /** Brought along by the host. */
  readonly #own: readonly McpClient[];
  /** The same, set while the session ran. */
  #added: readonly McpClient[] = [];
  readonly #servers: McpServers;
  readonly #switchedOff = new Set<string>();
  readonly #overridden = new Set<string>();
  #tools: readonly AnyTool[] | undefined;
  #instructions: readonly ServerInstructions[] = [];
  #waited = false;
  #closing: Promise<void> | undefined;
  #served: ServedSession | undefined;

  constructor(config: QueryEngineConfig, parts: McpParts) {
    this.#config = config;
    this.#own = (config.mcpClients ?? []).filter(({ name }) => !this.#isRefused(name));
    this.#servers = this.#connecting(parts);
  }

  #connecting(parts: McpParts): McpServers {
    const config = this.#config;
    const { startMs = START_MS, callMs = CALL_IDLE_MS } = config.mcpTimeouts ?? {};
    return createMcpServers({
      clock: parts.clock,
      random: parts.random,
      cwd: config.cwd,
      env: parts.env,
      version: VERSION,
      elicit: elicitWithHooks(config.handleElicitation, () => this.#session.hooks),
      parserOf,
      connect: connectWith(config),
      credentials: config.home === undefined ? undefined : createCredentialStore(config.home, parts.files),
      startMs,
      callIdleMs: callMs,
      taken: new Set(toolsOf(this.#own).map((tool) => tool.name)),
      takenServers: new Set(this.#own.map((client) => client.name)),
      entries: (config.mcpServers ?? []).filter((entry) => !this.#isRefused(entry.name, entry.config)),
      variables: config.env ?? {},
      onChange: () => {
        this.#tools = undefined;
      },
      warn: (line) => config.stderr?.(line),
      onElicitationComplete: (...which) => this.#session.notices.elicitationComplete(...which),
      onHeld:
        config.mcpToolChanges === 'accept'
          ? undefined
          : (line) => {
              config.stderr?.(line);
              this.#session.notices.say(line);
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
  }

  /** Begins to connect; later calls change nothing. */
  start(): void {
    this.#servers.start();
  }

  /** Connects the servers that live with the host; resolves when each was tried. */
  startHosts(): Promise<void> {
    return this.#servers.startHosts();
  }

  /** Before the first request: waits until every server was tried once, but not long, nor beyond an abort. */
  async settled(scope: { readonly signal: AbortSignal }): Promise<void> {
    if (this.#waited || (this.#config.mcpServers ?? []).length === 0) return;
    this.#waited = true;
    const { firstRequestMs = FIRST_REQUEST_MS } = this.#config.mcpTimeouts ?? {};
    await this.#servers.settled(firstRequestMs, scope.signal).catch(() => undefined);
  }

  /** The same array while nothing changed. */
  get tools(): readonly AnyTool[] {
    this.#tools ??= [
      ...toolsOf(this.#clients.filter((client) => !this.#switchedOff.has(client.name))),
      ...this.#servers.tools,
    ];
    return this.#tools;
  }

  get commands(): readonly Command[] {
    return this.#servers.commands;
  }

  /** What servers say about their use; the same array while nothing changed. */
  get instructions(): readonly ServerInstructions[] {
    const inProcess = this.#clients.flatMap(({ name: server, instructions: text }) =>
      text === undefined || text === '' || this.#switchedOff.has(server)
        ? []
        : [{ server, text: cleanText(text, MAX_INSTRUCTIONS_CHARS) }],
    );
    const now = [...inProcess, ...this.#servers.instructions];
    const before = this.#instructions;
    const same =
      now.length === before.length &&
      now.every(({ server, text }, at) => server === before[at]?.server && text === before[at]?.text);
    if (!same) this.#instructions = now;
    return this.#instructions;
  }

  statuses(): readonly McpServerStatus[] {
    return [
      ...mcpStatusOf({ mcpClients: this.#clients }).map((status) =>
        this.#switchedOff.has(status.name) ? { ...status, status: 'disabled' as const } : status,
      ),
      ...this.#servers.statuses(),
    ];
  }

  readResource(name: string, uri: string, signal: AbortSignal) {
    if (this.#isClient(name))
      throw new Error(`The MCP server "${name}" is the host's own tools: it has no resources.`);
    return this.#servers.readResource(name, uri, signal);
  }

  /** Whether calls of this server's tools are decided as in mode `default`. */
  setModeOverride(name: string, on: boolean): void {
    if (on) this.#overridden.add(name);
    else this.#overridden.delete(name);
  }

  isOverridden(tool: string): boolean {
    if (this.#overridden.size === 0) return false;
    return [...this.#overridden].some((name) =>
      tool.startsWith(`mcp__${this.#servers.slugOf(name) ?? name.replaceAll(/[^a-zA-Z0-9_-]/g, '_')}__`),
    );
  }

  async reconnect(name: string): Promise<void> {
    // What lives in this process is always at hand.
    if (this.#isClient(name)) return;
    await this.#servers.reconnect(name);
  }

  async setEnabled(name: string, on: boolean): Promise<void> {
    if (!this.#isClient(name)) return this.#servers.setEnabled(name, on);
    if (on) this.#switchedOff.delete(name);
    else this.#switchedOff.add(name);
    this.#tools = undefined;
  }

  async setServers(
    given: Readonly<Record<string, unknown>>,
    brought: readonly McpClient[],
  ): Promise<SetServersResult> {
    const configs = Object.fromEntries(
      Object.entries(given).filter(([name, server]) => !this.#isRefused(name, server)),
    );
    const coming = brought.filter(({ name }) => !this.#isRefused(name));
    const before = this.#added;
    const leaving = before.filter(({ name }) => !coming.some((client) => client.name === name));
    this.#added = coming;
    this.#tools = undefined;
    const [result] = await Promise.all([
      this.#servers.setDynamic(configs),
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
  }

  /** Makes these the servers of plugins; one whose configuration is the same goes on as it is. */
  setPluginServers(entries: readonly McpServerEntry[]): Promise<SetServersResult> {
    const configs = Object.fromEntries(entries.map(({ name, config }) => [name, config]));
    return this.#servers.setScope('plugin', configs);
  }

  /** From now on servers are answered, and heard, by this session. */
  serve(next: ServedSession): void {
    this.#served = next;
  }

  /** undefined: nothing is connected. */
  close(): Promise<void> | undefined {
    this.#closing ??= this.#close();
    return this.#closing;
  }

  #close(): Promise<void> | undefined {
    const brought = this.#clients.filter(({ close }) => close !== undefined);
    const ends = [this.#servers.close(), ...brought.map(async (client) => client.close?.())];
    return ends.some((end) => end !== undefined) ? Promise.allSettled(ends).then(() => undefined) : undefined;
  }

  get #clients(): readonly McpClient[] {
    return this.#added.length === 0 ? this.#own : [...this.#own, ...this.#added];
  }

  get #session(): ServedSession {
    if (this.#served === undefined) throw new Error('The MCP servers were started before their session.');
    return this.#served;
  }

  #isClient(name: string): boolean {
    return this.#clients.some((client) => client.name === name);
  }

  #isRefused(name: string, server?: unknown): boolean {
    const reason = refusedServer(name, server, this.#config.mcpServerPolicy);
    if (reason !== undefined) this.#config.stderr?.(reason);
    return reason !== undefined;
  }
}

const toolsOf = (clients: readonly McpClient[]) => clients.flatMap((client) => client.tools ?? []);
