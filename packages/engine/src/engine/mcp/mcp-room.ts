/** MCP in a session: servers that the host brings along, and those that the MCP room connects to. */

import { cleanText } from '@turnwright/base/text/clean-text.ts';
import type { ServerInstructions } from '../../attachments/mcp-instructions.ts';
import {
  MAX_INSTRUCTIONS_CHARS,
  type McpServerEntry,
  type McpServers,
  type SetServersResult,
} from '../../mcp/servers/mcp-servers.ts';
import { refusedServer } from '../../mcp/servers/server-policy.ts';
import type { Command } from '../../protocol/tools/command.ts';
import type { McpServerStatus } from '../../protocol/tools/mcp.ts';
import type { AnyTool } from '../../protocol/tools/tool.ts';
import type { McpClient, QueryEngineConfig } from '../config.ts';
import type { SandboxSurroundings } from '../sandbox/sandbox-surroundings.ts';
import { connectedServers, type McpParts, type ServedSession } from './connected-servers.ts';
import { ServerSandbox } from './server-sandbox.ts';

const NO_NAMES: readonly string[] = Object.freeze([]);
const NO_COMMANDS: readonly Command[] = Object.freeze([]);

/** The MCP servers of a session, those that the host brought along and those that are connected to. */
export class McpRoom {
  readonly #config: QueryEngineConfig;
  /** Brought along by the host. */
  #clients: readonly McpClient[];
  readonly #parts: McpParts;
  readonly #sandbox: ServerSandbox;
  #connected: McpServers | undefined;
  #switchedOff = NO_NAMES;
  #overridden = NO_NAMES;
  #tools: readonly AnyTool[] | undefined;
  #instructions: readonly ServerInstructions[] = [];
  #waited = false;
  #closing: Promise<void> | undefined;
  #served: ServedSession | undefined;

  constructor(config: QueryEngineConfig, parts: McpParts) {
    this.#config = config;
    this.#clients = (config.mcpClients ?? []).filter(({ name }) => !this.#isRefused(name));
    this.#parts = parts;
    this.#sandbox = new ServerSandbox(config, () => this.surroundings);
    if ((config.mcpServers ?? []).length > 0) this.#connected = this.#servers;
  }

  /** Those that are connected to; most sessions have none. */
  get #servers(): McpServers {
    this.#connected ??= connectedServers(this.#config, this.#parts, {
      own: () => this.#clients,
      entries: (this.#config.mcpServers ?? []).filter(({ name, config }) => !this.#isRefused(name, config)),
      session: () => this.#session,
      sandbox: this.#sandbox,
      changed: () => {
        this.#tools = undefined;
      },
    });
    return this.#connected;
  }

  /** Servers are configured, connected or not. */
  get hasServers(): boolean {
    return (this.#config.mcpServers ?? []).length > 0;
  }

  /** Begins to connect; later calls change nothing. */
  start(): void {
    this.#connected?.start();
  }

  /** Connects the servers that live with the host; resolves when each was tried. */
  async startHosts(): Promise<void> {
    await this.#connected?.startHosts();
  }

  /**
   * Before the first request: waits until every server was tried once, which has a time limit of its own, or
   * until the host goes on without; not beyond an abort. `areCalled`: tools of servers are about to be
   * called, so that all are waited for.
   */
  async settled(scope: { readonly signal: AbortSignal }, { areCalled = false } = {}): Promise<void> {
    if (this.#waited || (this.#config.mcpServers ?? []).length === 0) return;
    const { mcpAwaited = 'all', onMcpWait } = this.#config;
    const enough = new AbortController();
    const onAbort = () => enough.abort(scope.signal.reason);
    scope.signal.addEventListener('abort', onAbort, { once: true });
    if (scope.signal.aborted) onAbort();
    const goOn = () => enough.abort('without');
    const awaited = this.#servers.settled(enough.signal, {
      isAwaited: areCalled || mcpAwaited === 'all' ? undefined : ({ scope: from }) => from === 'option',
      onWait: (servers) => {
        try {
          onMcpWait?.({ servers, goOn });
        } catch {
          // An error of the host's callback does not affect the run.
        }
      },
    });
    await awaited.catch(() => undefined);
    scope.signal.removeEventListener('abort', onAbort);
    this.#waited = true;
  }

  /** The same array while nothing changed. */
  get tools(): readonly AnyTool[] {
    this.#tools ??= [
      ...listTools(this.#clients.filter((client) => !this.#switchedOff.includes(client.name))),
      ...(this.#connected?.tools ?? []),
    ];
    return this.#tools;
  }

  get commands(): readonly Command[] {
    return this.#connected?.commands ?? NO_COMMANDS;
  }

  /** What servers say about their use; the same array while nothing changed. */
  get instructions(): readonly ServerInstructions[] {
    const inProcess = this.#clients.flatMap(({ name: server, instructions: text }) =>
      text === undefined || text === '' || this.#switchedOff.includes(server)
        ? []
        : [{ server, text: cleanText(text, MAX_INSTRUCTIONS_CHARS) }],
    );
    const now = [...inProcess, ...(this.#connected?.instructions ?? [])];
    const before = this.#instructions;
    const same =
      now.length === before.length &&
      now.every(({ server, text }, at) => server === before[at]?.server && text === before[at]?.text);
    if (!same) this.#instructions = now;
    return this.#instructions;
  }

  statuses(): readonly McpServerStatus[] {
    return [
      ...this.#clients
        .map(toServerStatus)
        .map((status) =>
          this.#switchedOff.includes(status.name) ? { ...status, status: 'disabled' as const } : status,
        ),
      ...(this.#connected?.statuses() ?? []),
    ];
  }

  readResource(name: string, uri: string, signal: AbortSignal) {
    if (this.#isClient(name))
      throw new Error(`The MCP server "${name}" is the host's own tools: it has no resources.`);
    return this.#servers.readResource(name, uri, signal);
  }

  /** Whether calls of this server's tools are decided as in mode `default`. */
  setModeOverride(name: string, on: boolean): void {
    this.#overridden = withName(this.#overridden, name, on);
  }

  isOverridden(tool: string): boolean {
    if (this.#overridden.length === 0) return false;
    return this.#overridden.some((name) =>
      tool.startsWith(`mcp__${this.#connected?.slugOf(name) ?? name.replaceAll(/[^a-zA-Z0-9_-]/g, '_')}__`),
    );
  }

  async reconnect(name: string): Promise<void> {
    // What lives in this process is always at hand.
    if (this.#isClient(name)) return;
    await this.#servers.reconnect(name);
  }

  async setEnabled(name: string, on: boolean): Promise<void> {
    if (!this.#isClient(name)) return this.#servers.setEnabled(name, on);
    this.#switchedOff = withName(this.#switchedOff, name, !on);
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
    const before = this.#clients;
    const leaving = before.filter(({ name }) => !coming.some((client) => client.name === name));
    this.#clients = coming;
    this.#switchedOff = this.#switchedOff.filter((name) => this.#isClient(name));
    this.#tools = undefined;
    const [result] = await Promise.all([
      this.#servers.setDynamic(
        configs,
        coming.map(({ name }) => name),
      ),
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
    const ends = [this.#closeConnected(), ...brought.map(async (client) => client.close?.())];
    return ends.some((end) => end !== undefined) ? Promise.allSettled(ends).then(() => undefined) : undefined;
  }

  #closeConnected(): Promise<void> | undefined {
    const closing = this.#connected?.close();
    return closing && Promise.resolve(closing).finally(() => this.#sandbox.close());
  }

  /** Of the session that the servers serve at the moment. */
  get surroundings(): SandboxSurroundings {
    return this.#session.surroundings;
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

const withName = (names: readonly string[], name: string, on: boolean) => [
  ...names.filter((other) => other !== name),
  ...(on ? [name] : []),
];

const listTools = (clients: readonly McpClient[]) => clients.flatMap((client) => client.tools ?? []);

function toServerStatus({
  name,
  status,
  serverInfo,
  error,
  toolInfos,
  tools = [],
}: McpClient): McpServerStatus {
  return {
    name,
    status,
    ...(serverInfo !== undefined && { serverInfo }),
    ...(error !== undefined && { error }),
    transport: 'sdk',
    scope: 'dynamic',
    source: 'sdk',
    tools: toolInfos ?? tools.map((tool) => ({ name: tool.name.replace(`mcp__${name}__`, '') })),
  };
}
