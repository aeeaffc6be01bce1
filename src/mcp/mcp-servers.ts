/** All MCP servers of a session: the room's face. Nothing is loaded or started before `start()`. */
import type { AnyTool } from '../protocol/tool.ts';
import { McpServer, type McpServerPorts, type McpServerStatus } from './mcp-server.ts';
import { serverSlug } from './names.ts';
import { type PromptCommand, promptCommands } from './prompt-command.ts';
import { resourceTools } from './resource-tools.ts';
import { parseServer } from './server-config.ts';
import { createToolPins, type PinStore } from './tool-pins.ts';

export { MAX_INSTRUCTIONS_CHARS } from './mcp-server.ts';

export interface McpServerEntry {
  readonly name: string;
  /** Where it was configured, for people: `project`, `dynamic` … */
  readonly scope: string;
  /** As it was written; what is wrong with it becomes the server's status. */
  readonly config: unknown;
}

export interface McpServersOptions extends McpServerPorts {
  readonly entries: readonly McpServerEntry[];
  /** What `${VAR}` means in configurations. */
  readonly variables: Readonly<Record<string, string | undefined>>;
  /** Names of servers that are not ours (in-process ones). */
  readonly takenServers: ReadonlySet<string>;
  /** Where what its tools were like is kept for later sessions; undefined: nowhere. */
  pinStore?(entry: McpServerEntry): PinStore | undefined;
}

export interface McpServers {
  /** Begins to connect all of them; later calls change nothing. */
  start(): void;
  /** Connects those that live with the host; resolves when each was tried. */
  startHosts(): Promise<void>;
  /** Resolves when each was tried once, or after `ms`; rejects with the signal's reason. */
  settled(ms: number, signal: AbortSignal): Promise<void>;
  /** In the order of the configuration, whoever was ready first; the same array while nothing changed. */
  readonly tools: readonly AnyTool[];
  readonly commands: readonly PromptCommand[];
  /** What servers say about their use. */
  readonly instructions: readonly { readonly server: string; readonly text: string }[];
  statuses(): readonly McpServerStatus[];
  has(name: string): boolean;
  /** Of tool names: `mcp__<slug>__`. undefined: there is no such server. */
  slugOf(name: string): string | undefined;
  /** As the server answers. Rejects with a sentence. */
  readResource(name: string, uri: string, signal: AbortSignal): Promise<Readonly<Record<string, unknown>>>;
  /** Rejects with the reason when it does not come to a connection. */
  reconnect(name: string): Promise<void>;
  setEnabled(name: string, on: boolean): Promise<void>;
  /** Makes these the servers of scope `dynamic`; one whose configuration is the same goes on as it is, but for the host's own. */
  setDynamic(configs: Readonly<Record<string, unknown>>): Promise<SetServersResult>;
  /** The same for another scope. */
  setScope(scope: string, configs: Readonly<Record<string, unknown>>): Promise<SetServersResult>;
  close(): Promise<void>;
}

export interface SetServersResult {
  readonly added: readonly string[];
  readonly removed: readonly string[];
  /** By name, for those that are not connected. */
  readonly errors: Readonly<Record<string, string>>;
}

const DYNAMIC = 'dynamic';

export function createMcpServers(options: McpServersOptions): McpServers {
  const servers = new Map<string, { readonly server: McpServer; readonly entry: McpServerEntry }>();
  let started: Promise<unknown> | undefined;
  let closed = false;
  let tools: readonly AnyTool[] | undefined;
  let commands: readonly PromptCommand[] | undefined;

  const withResources = () => all().filter((server) => server.hasResources);
  const forResources = resourceTools(withResources);
  const all = () => [...servers.values()].map(({ server }) => server);
  const changed = () => {
    commands = undefined;
    const now = [
      ...all().flatMap((server) => server.tools),
      ...(withResources().length > 0 ? forResources : []),
    ];
    const same = tools?.length === now.length && tools.every((tool, at) => tool === now[at]);
    if (same) return;
    tools = now;
    options.onChange();
  };

  const add = (entry: McpServerEntry): McpServer => {
    const taken = new Set([...options.takenServers, ...all().map((server) => server.slug)]);
    const slug = serverSlug(entry.name, taken);
    const parsed = parseServer(entry.config, options.variables);
    const pins = createToolPins(options.pinStore?.(entry));
    const ports = { ...options, onChange: changed };
    const server = new McpServer(entry.name, slug, entry.scope, parsed, pins, ports);
    servers.set(entry.name, { server, entry });
    return server;
  };
  for (const entry of options.entries) add(entry);

  const named = (name: string): McpServer => {
    const found = servers.get(name);
    if (found === undefined) throw new Error(`There is no MCP server "${name}".`);
    return found.server;
  };
  const start = () => {
    started ??= closed ? Promise.resolve() : Promise.all(all().map((server) => server.start()));
    return started;
  };

  /** Those of a scope become these; one whose configuration is the same goes on as it is. */
  const setScope: McpServers['setScope'] = async (scope, configs) => {
    start();
    const leaving = [...servers.values()].filter(
      ({ server, entry }) =>
        entry.scope === scope &&
        (server.isHosts || JSON.stringify(entry.config) !== JSON.stringify(configs[entry.name])),
    );
    for (const { entry } of leaving) servers.delete(entry.name);
    const coming = Object.entries(configs).filter(([name]) => !servers.has(name));
    const added = coming.map(([name, config]) => add({ name, scope, config }));
    changed();
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
  };

  return {
    start: () => void start(),
    async startHosts() {
      await Promise.all(all().map((server) => (server.isHosts ? server.start() : undefined)));
    },
    async settled(ms, signal) {
      const over = new AbortController();
      const onAbort = () => over.abort(signal.reason);
      signal.addEventListener('abort', onAbort, { once: true });
      try {
        signal.throwIfAborted();
        await Promise.race([start(), options.clock.sleep(ms, over.signal)]);
      } finally {
        signal.removeEventListener('abort', onAbort);
        over.abort('over');
      }
    },
    get tools() {
      return tools ?? [];
    },
    get commands() {
      commands ??= all().flatMap(promptCommands);
      return commands;
    },
    get instructions() {
      return all().flatMap(({ name: server, instructions: text }) => (text === '' ? [] : [{ server, text }]));
    },
    statuses: () => all().map((server) => server.status),
    has: (name) => servers.has(name),
    slugOf: (name) => servers.get(name)?.server.slug,
    readResource: async (name, uri, signal) => named(name).request('resources/read', { uri }, signal),
    reconnect: async (name) => named(name).reconnect(),
    setEnabled: async (name, on) => named(name).setEnabled(on),
    setDynamic: (configs) => setScope(DYNAMIC, configs),
    setScope,
    async close() {
      closed = true;
      await Promise.allSettled(all().map((server) => server.close()));
    },
  };
}
