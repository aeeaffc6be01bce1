/**
 * All MCP servers of a session: the entry point of the room. Nothing is loaded or started before `start()`.
 */

import { unlessAborted } from '@turnwright/base/async/promises.ts';
import { isSameList } from '@turnwright/base/collections/made-once.ts';
import type { McpServerStatus } from '../../protocol/tools/mcp.ts';
import type { AnyTool } from '../../protocol/tools/tool.ts';
import type { PinStore } from '../tools/pin-store.ts';
import { type PromptCommand, promptCommands } from '../tools/prompt-command.ts';
import { resourceTools } from '../tools/resource-tools.ts';
import { McpServer } from './mcp-server.ts';
import { serverSlug } from './names.ts';
import { isSameConfig, isSameServer, parseServer, type ServerVariables } from './parse-server.ts';
import type { McpServerPorts } from './server-ports.ts';

export { MAX_INSTRUCTIONS_CHARS } from './mcp-server.ts';

export interface McpServerEntry {
  readonly name: string;
  /** Scope of its configuration: `project`, `dynamic` … */
  readonly scope: string;
  /** As written; problems become the server's status. */
  readonly config: unknown;
}

export interface McpServersOptions extends McpServerPorts {
  readonly entries: readonly McpServerEntry[];
  /** Values of `${VAR}` in a configuration. */
  variables(entry: McpServerEntry): ServerVariables;
  /** Current names of in-process servers. */
  takenServers(): readonly string[];
  /** Where its tool descriptions are stored for later sessions; undefined: nowhere. */
  pinStore?(entry: McpServerEntry): PinStore | undefined;
}

export interface McpServers {
  /** Starts connecting all of them; later calls have no effect. */
  start(): void;
  /** Connects the servers of the host; resolves when each was tried. */
  startHosts(): Promise<void>;
  /**
   * Resolves when each was tried once, which has a time limit of its own. Rejects with the signal's reason.
   */
  settled(signal: AbortSignal, how?: AwaitedServers): Promise<void>;
  /** In the order of the configuration; the same array while nothing changed. */
  readonly tools: readonly AnyTool[];
  readonly commands: readonly PromptCommand[];
  /** Instructions of servers. */
  readonly instructions: readonly { readonly server: string; readonly text: string }[];
  statuses(): readonly McpServerStatus[];
  has(name: string): boolean;
  /** Part of tool names: `mcp__<slug>__`. undefined: there is no such server. */
  slugOf(name: string): string | undefined;
  /** Returns the server's answer. Rejects with a sentence. */
  readResource(name: string, uri: string, signal: AbortSignal): Promise<Readonly<Record<string, unknown>>>;
  /** Rejects with the reason when the connection fails. */
  reconnect(name: string): Promise<void>;
  setEnabled(name: string, on: boolean): Promise<void>;
  /**
   * Replaces the servers of earlier calls, all servers of the host, and any with a name in `configs` or
   * `brought` (in-process servers). A server with an unchanged configuration stays connected.
   */
  setDynamic(
    configs: Readonly<Record<string, unknown>>,
    brought?: readonly string[],
  ): Promise<SetServersResult>;
  /** Replaces the servers of a scope; one with an unchanged configuration stays connected. */
  setScope(scope: string, configs: Readonly<Record<string, unknown>>): Promise<SetServersResult>;
  /** undefined: there is none. */
  close(): Promise<void> | undefined;
}

interface AwaitedServers {
  /** Which of them; default all. */
  readonly isAwaited?: ((entry: McpServerEntry) => boolean) | undefined;
  /** Called with the names of those that were not tried yet, when they change, and with none in the end. */
  readonly onWait?: ((names: readonly string[]) => void) | undefined;
}

export interface SetServersResult {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** By name, for servers that are not connected. */
  readonly errors: Readonly<Record<string, string>>;
}

const DYNAMIC = 'dynamic';
const PLUGIN = 'plugin';

export function createMcpServers(options: McpServersOptions): McpServers {
  return new AllServers(options);
}

interface KnownServer {
  readonly server: McpServer;
  readonly entry: McpServerEntry;
}

const NO_TOOLS: readonly AnyTool[] = Object.freeze([]);

class AllServers implements McpServers {
  readonly #options: McpServersOptions;
  readonly #servers = new Map<string, KnownServer>();
  /** Names of the last `setDynamic`. */
  #set: readonly string[] = [];
  #started: Promise<unknown> | undefined;
  #closed = false;
  #tools = NO_TOOLS;
  #commands: readonly PromptCommand[] | undefined;
  #forResources: readonly AnyTool[] | undefined;

  constructor(options: McpServersOptions) {
    this.#options = options;
    for (const entry of options.entries) if (!this.#isThere(entry)) this.#add(entry);
  }

  get tools(): readonly AnyTool[] {
    for (const server of this.#all()) server.renewStale();
    return this.#tools;
  }

  get commands(): readonly PromptCommand[] {
    this.#commands ??= this.#all().flatMap(promptCommands);
    return this.#commands;
  }

  get instructions() {
    return this.#all().flatMap(({ name: server, instructions: text }) =>
      text === '' ? [] : [{ server, text }],
    );
  }

  start(): void {
    void this.#start();
  }

  async startHosts(): Promise<void> {
    await Promise.all(this.#all().map((server) => (server.isHosts ? server.start() : undefined)));
  }

  async settled(signal: AbortSignal, { isAwaited, onWait }: AwaitedServers = {}): Promise<void> {
    signal.throwIfAborted();
    void this.#start();
    const known = [...this.#servers.values()];
    const awaited = known.filter(({ entry }) => isAwaited?.(entry) !== false);
    const waiting = new Set(awaited.map(({ entry }) => entry.name));
    let isTold = false;
    const tell = () => {
      isTold ||= waiting.size > 0;
      if (isTold) onWait?.([...waiting]);
    };
    const tries = awaited.map(async ({ server, entry }) => {
      await server.start();
      waiting.delete(entry.name);
      if (isTold && !signal.aborted) tell();
    });
    // A server that cannot even be tried is not reported.
    const cancel = this.#options.clock.timer(0, tell);
    try {
      await unlessAborted(Promise.all(tries), signal);
    } finally {
      cancel();
      if (isTold && waiting.size > 0) onWait?.([]);
    }
  }

  statuses(): readonly McpServerStatus[] {
    return this.#all().map((server) => server.status);
  }

  has(name: string): boolean {
    return this.#servers.has(name);
  }

  slugOf(name: string): string | undefined {
    return this.#servers.get(name)?.server.slug;
  }

  async readResource(name: string, uri: string, signal: AbortSignal) {
    return this.#named(name).request('resources/read', { uri }, signal);
  }

  async reconnect(name: string): Promise<void> {
    return this.#named(name).reconnect();
  }

  async setEnabled(name: string, on: boolean): Promise<void> {
    return this.#named(name).setEnabled(on);
  }

  setDynamic(
    configs: Readonly<Record<string, unknown>>,
    brought: readonly string[] = [],
  ): Promise<SetServersResult> {
    const named = [...this.#set, ...Object.keys(configs), ...brought];
    this.#set = Object.keys(configs);
    return this.#replace(
      ({ server, entry }) => server.isHosts || named.includes(entry.name),
      DYNAMIC,
      configs,
    );
  }

  setScope(scope: string, configs: Readonly<Record<string, unknown>>): Promise<SetServersResult> {
    return this.#replace(({ entry }) => entry.scope === scope, scope, configs);
  }

  async #replace(
    which: (known: KnownServer) => boolean,
    scope: string,
    configs: Readonly<Record<string, unknown>>,
  ): Promise<SetServersResult> {
    this.start();
    const leaving = [...this.#servers.values()].filter(
      (known) => which(known) && !isSameConfig(known.entry.config, configs[known.entry.name]),
    );
    for (const { entry } of leaving) this.#servers.delete(entry.name);
    const coming = Object.entries(configs).filter(([name]) => !this.#servers.has(name));
    const added = coming.flatMap(([name, config]) => {
      const entry = { name, scope, config };
      return this.#isThere(entry) ? [] : [this.#add(entry)];
    });
    this.#changed();
    await Promise.all([
      ...leaving.map(({ server }) => server.close()),
      ...added.map((server) => server.start()),
    ]);
    const errors = added.flatMap(({ name, status }) =>
      status.status === 'connected' ? [] : [[name, status.error ?? status.status]],
    );
    return {
      added: added.map(({ name }) => name),
      removed: leaving.map(({ entry }) => entry.name).filter((name) => !(name in configs)),
      errors: Object.fromEntries(errors) as Record<string, string>,
    };
  }

  close(): Promise<void> | undefined {
    this.#closed = true;
    if (this.#servers.size === 0) return undefined;
    return Promise.allSettled(this.#all().map((server) => server.close())).then(() => undefined);
  }

  #all(): readonly McpServer[] {
    return [...this.#servers.values()].map(({ server }) => server);
  }

  #withResources(): readonly McpServer[] {
    return this.#all().filter((server) => server.hasResources);
  }

  #start(): Promise<unknown> {
    this.#started ??= this.#closed
      ? Promise.resolve()
      : Promise.all(this.#all().map((server) => server.start()));
    return this.#started;
  }

  #changed(): void {
    this.#commands = undefined;
    const now = this.#all().flatMap((server) => server.tools);
    if (this.#withResources().length > 0) {
      this.#forResources ??= resourceTools(() => this.#withResources());
      now.push(...this.#forResources);
    }
    if (isSameList(this.#tools, now)) return;
    this.#tools = now;
    this.#options.onChange();
  }

  /** A plugin's server that another plugin brings too, or a file names, is connected once. */
  #isThere({ name, scope, config }: McpServerEntry): boolean {
    if (scope !== PLUGIN) return false;
    const other = [...this.#servers.values()].find(
      ({ entry, server }) => isSameServer(entry.config, config) && server.status.status !== 'disabled',
    );
    if (other !== undefined)
      this.#options.warn(`The server ${name} is ${other.entry.name}, which is there already.`);
    return other !== undefined;
  }

  #add(entry: McpServerEntry): McpServer {
    const options = this.#options;
    const taken = new Set([...options.takenServers(), ...this.#all().map((server) => server.slug)]);
    const slug = serverSlug(entry.name, taken);
    const parsed = parseServer(entry.config, options.variables(entry));
    const pinStore = options.pinStore?.(entry);
    const ports = { ...options, onChange: () => this.#changed() };
    const server = new McpServer(entry.name, slug, entry.scope, parsed, pinStore, ports);
    this.#servers.set(entry.name, { server, entry });
    return server;
  }

  #named(name: string): McpServer {
    const found = this.#servers.get(name);
    if (found === undefined) throw new Error(`There is no MCP server "${name}".`);
    return found.server;
  }
}
