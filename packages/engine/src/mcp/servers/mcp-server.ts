/** One configured server: its offers, and calls to it. */

import { cleanText } from '@turnwright/base/text/clean-text.ts';
import type { McpServerStatus } from '../../protocol/tools/mcp.ts';
import type { AnyTool } from '../../protocol/tools/tool.ts';
import type { Connection, ListKind } from '../connect/connection.ts';
import { classifyFailure } from '../connect/connection-failure.ts';
import { notConnected } from '../connect/not-connected.ts';
import { ServerLink } from '../connect/server-link.ts';
import { FreshLists } from '../revisions/fresh-lists.ts';
import type { PinStore } from '../tools/pin-store.ts';
import { isHosts, isRemote, type ParsedServer, shownConfig, transportOf } from './parse-server.ts';
import type { ServerConfig } from './server-config.ts';
import type { ListedEntry, McpServerPorts } from './server-ports.ts';
import type { OfferedTools, ServerTools } from './server-tools.ts';

interface Offers extends OfferedTools {
  readonly prompts: readonly ListedEntry[];
  readonly hasResources: boolean;
  readonly instructions: string;
}

/** Readings of lists at once; each further one waits twice as long, until the server was calm for a while. */
const FREE_READINGS = 5;
const CALM_MS = 30_000;
const MOST_PAUSE_MS = 10_000;

/** Limit of a server's instructions. */
export const MAX_INSTRUCTIONS_CHARS = 2_000;

export class McpServer {
  readonly name: string;
  readonly slug: string;
  readonly #scope: string;
  readonly #parsed: ParsedServer;
  readonly #ports: McpServerPorts;
  readonly #link: ServerLink | undefined;
  readonly #fresh: FreshLists;
  #offers: Offers | undefined;
  /** Settles when the lists are current; undefined if they are. */
  #reload: Promise<void> | undefined;
  /** Lists that are about to be read: another notification of the same changes nothing. */
  readonly #due = new Set<ListKind>();
  /** Readings in a row, and when the last one began. */
  #pace = { readings: 0, lastMs: Number.NEGATIVE_INFINITY };
  /** Set with the first connection. */
  #tools: ServerTools | undefined;
  #started: Promise<void> | undefined;

  constructor(
    name: string,
    slug: string,
    scope: string,
    parsed: ParsedServer,
    pinStore: PinStore | undefined,
    ports: McpServerPorts,
  ) {
    this.name = name;
    this.slug = slug;
    this.#scope = scope;
    this.#parsed = parsed;
    this.#ports = ports;
    this.#fresh = new FreshLists(parsed.ok ? parsed.config : undefined, ports.clock);
    if (!parsed.ok) return;
    this.#link = new ServerLink({
      clock: ports.clock,
      random: ports.random,
      startMs: ports.startMs,
      retriesStart: isRemote(parsed.config),
      open: (signal) => this.#open(parsed.config, pinStore, signal),
      onChange: ports.onChange,
    });
  }

  /** The first attempt to connect; resolves when it has ended, successfully or not. */
  start(): Promise<void> {
    this.#started ??= this.#link?.connect() ?? Promise.resolve();
    return this.#started;
  }

  /** It is a server of the host. */
  get isHosts(): boolean {
    return this.#parsed.ok && isHosts(this.#parsed.config);
  }

  get status(): McpServerStatus {
    const link = this.#link;
    const connected = link?.status === 'connected';
    const { serverInfo, revision } = link?.connection ?? {};
    const { tools: offered, held = [] } = this.#offers ?? {};
    const quarantined = offered?.quarantined ?? [];
    const error = this.#parsed.ok ? link?.error : this.#parsed.problem;
    return {
      name: this.name,
      status: link?.status ?? 'failed',
      ...(serverInfo && { serverInfo: { name: serverInfo.name, version: serverInfo.version } }),
      ...(revision !== undefined && { protocolVersion: revision }),
      ...(error !== undefined && { error }),
      ...(this.#parsed.ok && !isHosts(this.#parsed.config) && { config: shownConfig(this.#parsed.config) }),
      ...(this.#parsed.ok && { transport: transportOf(this.#parsed.config) }),
      scope: this.isHosts ? 'dynamic' : this.source,
      source: this.source,
      ...(connected && { tools: offered?.statuses ?? [] }),
      ...(connected && quarantined.length > 0 && { quarantined }),
      ...(connected && held.length > 0 && { held }),
    };
  }

  /** Its source, with the values of `McpServerStatus.scope`. */
  get source(): string {
    if (this.isHosts) return 'sdk';
    return this.#scope === 'option' ? 'dynamic' : this.#scope;
  }

  /** Reads lists that are fresh no longer, if they were read for another session. */
  renewStale(): void {
    for (const kind of this.#fresh.takeStale()) this.#reloadList(kind);
  }

  /** Its last list: kept while the server is not connected, so that requests keep their bytes (L3). */
  get tools(): readonly AnyTool[] {
    return this.#shown?.tools.tools ?? [];
  }

  get prompts(): readonly ListedEntry[] {
    return this.#shown?.prompts ?? [];
  }

  /** Its instructions; empty if there are none. */
  get instructions(): string {
    return this.#shown?.instructions ?? '';
  }

  get hasResources(): boolean {
    return this.#shown?.hasResources === true;
  }

  /** A request other than a tool call. Rejects with a readable message. */
  request(method: string, params: ListedEntry, signal: AbortSignal): Promise<ListedEntry> {
    return this.#with(signal, (connection) => connection.ask(method, params, { signal }));
  }

  /** All entries of a list; empty when the server does not support it. */
  list(kind: ListKind, signal: AbortSignal): Promise<readonly ListedEntry[]> {
    return this.#with(signal, async (connection) =>
      connection.lists.has(kind) ? connection.list(kind, signal) : [],
    );
  }

  /** Rejects with the reason when the connection fails. */
  async reconnect(): Promise<void> {
    this.#fresh.drop();
    await this.#link?.reconnect();
    if (this.status.status !== 'connected') throw new Error(notConnected(this.status));
  }

  async setEnabled(on: boolean): Promise<void> {
    await this.#link?.setEnabled(on);
  }

  async close(): Promise<void> {
    await this.#link?.close();
  }

  get #shown(): Offers | undefined {
    return this.#link?.status === 'disabled' ? undefined : this.#offers;
  }

  async #with<T>(signal: AbortSignal, work: (connection: Connection) => Promise<T>): Promise<T> {
    const connection = await this.#link?.ready(signal);
    if (connection === undefined) throw new Error(notConnected(this.status));
    try {
      return await work(connection);
    } catch (error) {
      signal.throwIfAborted();
      this.#link?.heed(error, connection);
      const failure = classifyFailure(error);
      throw new Error(failure.kind === 'deadline' ? failure.error.message : failure.message, {
        cause: error,
      });
    }
  }

  async #open(
    config: ServerConfig,
    pinStore: PinStore | undefined,
    signal: AbortSignal,
  ): Promise<Connection> {
    const offered = await this.#toolsOf(config, pinStore);
    const onListChanged = (kind: ListKind) => this.#reloadList(kind);
    // A program that is started again may be another one.
    if (!isRemote(config)) this.#fresh.drop();
    const ports = { ...this.#ports, name: this.name, fresh: this.#fresh, onListChanged };
    const connection = isHosts(config)
      ? await (await import('../connect/host-connection.ts')).openHostConnection(config, ports, signal)
      : await (await import('../connect/external-connection.ts')).openConnection(config, ports, signal);
    try {
      const list = (kind: ListKind) => (connection.lists.has(kind) ? connection.list(kind, signal) : []);
      // A server that fails to list prompts still has its tools.
      const prompts = Promise.resolve(list('prompts')).catch(() => []);
      const [tools] = await Promise.all([Promise.resolve(list('tools')).catch(unlisted), offered.load()]);
      this.#offer({
        ...offered.list(tools, connection.serverInfo?.name),
        prompts: await prompts,
        hasResources: connection.lists.has('resources'),
        instructions: cleanText(connection.instructions ?? '', MAX_INSTRUCTIONS_CHARS).trim(),
      });
      return connection;
    } catch (error) {
      await connection.close();
      if (connection.isWorthAnother === true && classifyFailure(error).kind === 'lost' && !signal.aborted)
        return this.#open(config, pinStore, signal);
      throw error;
    }
  }

  /** Loaded with the first server that is connected. */
  async #toolsOf(config: ServerConfig, pinStore: PinStore | undefined): Promise<ServerTools> {
    const { createServerTools } = await import('./server-tools.ts');
    this.#tools ??= createServerTools({
      server: this.name,
      slug: this.slug,
      scope: this.source,
      config,
      link: this.#link as ServerLink,
      pinStore,
      ports: this.#ports,
      status: () => this.status,
      reading: () => this.#reload,
      onAccepted: (offered) => this.#offers && this.#offer({ ...this.#offers, ...offered }),
    });
    return this.#tools;
  }

  #offer(offers: Offers): void {
    const { tools: before, held = [] } = this.#offers ?? {};
    this.#offers = offers;
    for (const line of offers.tools.quarantined)
      if (before?.quarantined.includes(line) !== true) this.#ports.warn(`MCP server "${this.name}": ${line}`);
    for (const line of offers.held)
      if (!held.includes(line)) this.#ports.onHeld?.(`MCP server "${this.name}": ${line}`);
    this.#ports.onChange();
  }

  /** After a notification. One at a time, so that the newest list is the last. */
  #reloadList(kind: ListKind): void {
    const link = this.#link;
    this.#fresh.drop(kind);
    if (this.#due.has(kind)) return;
    this.#due.add(kind);
    const reload = (this.#reload ?? Promise.resolve()).then(async () => {
      await this.#paced(link?.signal).catch(() => undefined);
      this.#due.delete(kind);
      // Servers that add tools right after the handshake send the notification before connecting has
      // finished.
      if (link?.status === 'pending') await link.connect();
      const connection = link?.connection;
      if (this.#tools === undefined || link === undefined || connection === undefined || kind === 'resources')
        return;
      try {
        const items = await connection.list(kind, link.signal);
        if (connection !== link.connection || this.#offers === undefined) return;
        if (kind === 'tools') this.#offer({ ...this.#offers, ...this.#tools.list(items) });
        else this.#offer({ ...this.#offers, prompts: items });
      } catch (error) {
        link.heed(error, connection);
      }
    });
    this.#reload = reload;
    void reload.finally(() => {
      if (this.#reload === reload) this.#reload = undefined;
    });
  }

  /** A server that announces changes without end is asked less and less often. */
  async #paced(signal: AbortSignal | undefined): Promise<void> {
    const { clock } = this.#ports;
    if (clock.monotonicMs() - this.#pace.lastMs > CALM_MS) this.#pace.readings = 0;
    const { readings } = this.#pace;
    const waitMs =
      readings < FREE_READINGS ? 0 : Math.min(100 * 2 ** (readings - FREE_READINGS), MOST_PAUSE_MS);
    if (waitMs > 0) await clock.sleep(waitMs, signal);
    this.#pace = { readings: readings + 1, lastMs: clock.monotonicMs() };
  }
}

/** The server runs: its own message alone would not say what failed. */
function unlisted(error: unknown): never {
  const failure = classifyFailure(error);
  if (failure.kind !== 'answered') throw error;
  throw new Error(`It started, but could not list its tools: ${failure.message}`, { cause: error });
}
