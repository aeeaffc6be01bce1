/** One configured server over the session: connected, lost, connected again; what it lists; the calls to it. */
import type { Clock, RandomPort } from '../protocol/ports.ts';
import type { AnyTool, ToolOutput } from '../protocol/tool.ts';
import { callTool, notConnected } from './call-tool.ts';
import { cleanText } from './clean-text.ts';
import { type Connection, type ListKind, openConnection } from './connection.ts';
import type { ElicitPort } from './elicitation.ts';
import { failureOf } from './failure.ts';
import { type ListedTools, listedTools, type ToolStatus } from './listed-tool.ts';
import { isRemote, type McpServerConfig, type ParsedServer } from './server-config.ts';

export type McpStatus = 'connected' | 'failed' | 'needs-auth' | 'pending' | 'disabled';

export interface McpServerStatus {
  readonly name: string;
  readonly status: McpStatus;
  readonly serverInfo?: { readonly name: string; readonly version: string };
  readonly error?: string;
  /** Without what may be secret: environment and headers. */
  readonly config?: Readonly<Record<string, unknown>>;
  readonly scope?: string;
  readonly tools?: readonly ToolStatus[];
  /** Tools that were left out, one sentence each. */
  readonly quarantined?: readonly string[];
}

export interface McpServerPorts {
  readonly clock: Clock;
  readonly random: RandomPort;
  readonly cwd: string;
  /** Of child processes. */
  readonly env: Readonly<Record<string, string>>;
  /** Our own version, told to servers. */
  readonly version: string;
  readonly elicit: ElicitPort | undefined;
  /** ms that connecting may take. */
  readonly startMs: number;
  /** ms that a call may be silent, where the server's configuration does not say. */
  readonly callIdleMs: number;
  /** Names that tools of others have. */
  readonly taken: ReadonlySet<string>;
  /** What the server offers, or its state, changed. */
  onChange(): void;
  warn(line: string): void;
}

type Listed = Readonly<Record<string, unknown>>;

interface Offers {
  readonly tools: ListedTools;
  readonly prompts: readonly Listed[];
  readonly hasResources: boolean;
}

/** Attempts in a row before we wait to be asked; ms between them, doubled up to a limit. */
const MAX_ATTEMPTS = 8;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;
/** A connection that lived this long has paid off its attempts, ms. */
const STABLE_MS = 30_000;
/** How long a call waits for a server that is not connected, and how often it looks, ms. */
const CALL_WAIT_MS = 10_000;
const CALL_LOOK_MS = 500;

export class McpServer {
  readonly name: string;
  readonly slug: string;
  readonly scope: string;
  readonly #config: McpServerConfig | undefined;
  readonly #ports: McpServerPorts;
  #status: McpStatus;
  #error: string | undefined;
  #connection: Connection | undefined;
  #connectedAtMs = 0;
  #offers: Offers | undefined;
  #attempt: Promise<void> | undefined;
  #attempts = 0;
  #lifetime = new AbortController();
  #cancelRetry = () => {};
  #reload: Promise<void> = Promise.resolve();
  #closed = false;

  constructor(name: string, slug: string, scope: string, parsed: ParsedServer, ports: McpServerPorts) {
    this.name = name;
    this.slug = slug;
    this.scope = scope;
    this.#ports = ports;
    this.#config = parsed.ok ? parsed.config : undefined;
    this.#status = parsed.ok ? 'pending' : 'failed';
    this.#error = parsed.ok ? undefined : parsed.problem;
  }

  /** The first attempt to connect; resolves when it has ended, either way. Never rejects. */
  start(): Promise<void> {
    if (this.#config === undefined || this.#status !== 'pending') return Promise.resolve();
    return this.#connect();
  }

  get status(): McpServerStatus {
    const config = this.#config;
    const quarantined = this.#offers?.tools.quarantined ?? [];
    const connected = this.#status === 'connected';
    const serverInfo = this.#connection?.serverInfo;
    return {
      name: this.name,
      status: this.#status,
      ...(connected && serverInfo && { serverInfo: { name: serverInfo.name, version: serverInfo.version } }),
      ...(this.#error !== undefined && { error: this.#error }),
      ...(config !== undefined && {
        config: isRemote(config)
          ? { type: config.type, url: config.url.replace(/\?.*$/, '') }
          : { type: 'stdio', command: config.command, args: config.args ?? [] },
      }),
      scope: this.scope,
      ...(connected && { tools: this.#offers?.tools.statuses ?? [] }),
      ...(connected && quarantined.length > 0 && { quarantined }),
    };
  }

  /** What it listed last: a server that is away keeps its place, so that requests keep their bytes (L3). */
  get tools(): readonly AnyTool[] {
    return this.#status === 'disabled' ? [] : (this.#offers?.tools.tools ?? []);
  }

  get prompts(): readonly Listed[] {
    return this.#status === 'disabled' ? [] : (this.#offers?.prompts ?? []);
  }

  get hasResources(): boolean {
    return this.#status !== 'disabled' && this.#offers?.hasResources === true;
  }

  /** A request outside of tool calls. Rejects with an Error whose message a model or person can read. */
  async request(method: string, params: Listed, signal: AbortSignal): Promise<Listed> {
    const connection = await this.ready(signal);
    if (connection === undefined) throw new Error(notConnected(this.status));
    try {
      return await connection.ask(method, params, { signal });
    } catch (error) {
      signal.throwIfAborted();
      this.#heed(error, connection);
      const failure = failureOf(error);
      throw new Error(failure.kind === 'deadline' ? failure.error.message : failure.message, {
        cause: error,
      });
    }
  }

  async list(kind: ListKind, signal: AbortSignal): Promise<readonly Listed[]> {
    const connection = await this.ready(signal);
    if (connection === undefined) throw new Error(notConnected(this.status));
    return connection.lists.has(kind) ? connection.list(kind, signal) : [];
  }

  /** A connection, for which it tries again when there is none; undefined when that is of no use. */
  async ready(signal: AbortSignal): Promise<Connection | undefined> {
    const { clock } = this.#ports;
    const until = clock.monotonicMs() + CALL_WAIT_MS;
    while (true) {
      signal.throwIfAborted();
      if (this.#connection !== undefined) return this.#connection;
      if (this.#closed || this.#config === undefined) return undefined;
      if (this.#status === 'disabled' || this.#status === 'needs-auth') return undefined;
      const left = until - clock.monotonicMs();
      if (left <= 0) return undefined;
      const waited = new AbortController();
      const onAbort = () => waited.abort(signal.reason);
      signal.addEventListener('abort', onAbort, { once: true });
      try {
        await Promise.race([this.#connect(), clock.sleep(left, waited.signal)]);
        if (this.#connection === undefined && clock.monotonicMs() < until)
          await clock.sleep(CALL_LOOK_MS, waited.signal);
      } finally {
        signal.removeEventListener('abort', onAbort);
        waited.abort('over');
      }
    }
  }

  /** Drops what there is and connects anew. Rejects with the reason when that fails. */
  async reconnect(): Promise<void> {
    if (this.#config === undefined) throw new Error(this.#error);
    await this.#disconnect('pending');
    this.#attempts = 0;
    await this.#connect();
    if (this.#connection === undefined) throw new Error(notConnected(this.status));
  }

  async setEnabled(on: boolean): Promise<void> {
    if (this.#config === undefined || on === (this.#status !== 'disabled')) return;
    await this.#disconnect(on ? 'pending' : 'disabled');
    this.#attempts = 0;
    if (on) await this.#connect();
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#disconnect('disabled');
  }

  #connect(): Promise<void> {
    if (this.#connection !== undefined || this.#closed) return Promise.resolve();
    this.#attempt ??= this.#tryConnect(this.#lifetime.signal).finally(() => {
      this.#attempt = undefined;
    });
    return this.#attempt;
  }

  async #tryConnect(lifetime: AbortSignal): Promise<void> {
    const config = this.#config as McpServerConfig;
    const { clock, startMs } = this.#ports;
    this.#cancelRetry();
    this.#attempts += 1;
    if (this.#offers !== undefined || this.#error === undefined) this.#set('pending', this.#error);
    const attempt = new AbortController();
    const onAbort = () => attempt.abort(lifetime.reason);
    lifetime.addEventListener('abort', onAbort, { once: true });
    const cancelLimit = clock.timer(startMs, () =>
      attempt.abort(new Error(`It was not ready within ${startMs / 1000} s.`)),
    );
    let connection: Connection | undefined;
    try {
      connection = await openConnection(
        config,
        { ...this.#ports, name: this.name, onListChanged: (kind) => this.#reloadList(kind) },
        attempt.signal,
      );
      const offers = await this.#load(connection, attempt.signal);
      attempt.signal.throwIfAborted();
      const live = connection;
      this.#connection = live;
      this.#connectedAtMs = clock.monotonicMs();
      void live.lost.then((why) => this.#onLost(live, why));
      this.#offer(offers);
      this.#set('connected', undefined);
    } catch (error) {
      await connection?.close();
      if (lifetime.aborted) return;
      this.#onFailure(attempt.signal.aborted ? attempt.signal.reason : error);
    } finally {
      cancelLimit();
      lifetime.removeEventListener('abort', onAbort);
    }
  }

  async #load(connection: Connection, signal: AbortSignal): Promise<Offers> {
    const list = (kind: ListKind) => (connection.lists.has(kind) ? connection.list(kind, signal) : []);
    // Prompts are an extra: a server that fails to list them still has its tools.
    const [tools, prompts] = await Promise.all([
      list('tools'),
      Promise.resolve(list('prompts')).catch(() => []),
    ]);
    return { tools: this.#listed(tools), prompts, hasResources: connection.lists.has('resources') };
  }

  #listed(tools: readonly Listed[]): ListedTools {
    const deadlines = this.#config?.timeout ?? this.#ports.callIdleMs;
    const listed = listedTools(
      this.slug,
      tools,
      (request): Promise<ToolOutput> =>
        callTool(request, {
          server: this.name,
          idleMs: deadlines,
          clock: this.#ports.clock,
          connection: (signal) => this.ready(signal),
          status: () => this.status,
          heed: (error, connection) => this.#heed(error, connection),
        }),
      this.#ports.taken,
    );
    // The same list keeps the same tools: nothing changed for anybody.
    return listed.fingerprint === this.#offers?.tools.fingerprint ? this.#offers.tools : listed;
  }

  #offer(offers: Offers): void {
    const before = this.#offers?.tools.quarantined ?? [];
    this.#offers = offers;
    for (const line of offers.tools.quarantined)
      if (!before.includes(line)) this.#ports.warn(`MCP server "${this.name}": ${line}`);
  }

  /** After a notification. One at a time, so that the newest list is the last. */
  #reloadList(kind: ListKind): void {
    this.#reload = this.#reload.then(async () => {
      const connection = this.#connection;
      if (connection === undefined || this.#offers === undefined || kind === 'resources') return;
      try {
        const items = await connection.list(kind, this.#lifetime.signal);
        if (connection !== this.#connection) return;
        this.#offer(
          kind === 'tools'
            ? { ...this.#offers, tools: this.#listed(items) }
            : { ...this.#offers, prompts: items },
        );
        this.#ports.onChange();
      } catch (error) {
        this.#heed(error, connection);
      }
    });
  }

  /** Draws from a failed request what it says about the connection. */
  #heed(error: unknown, connection: Connection): void {
    const failure = failureOf(error);
    if (failure.kind === 'session_gone') connection.abandon('its session is over');
    if (failure.kind === 'not_delivered') connection.abandon('it cannot be reached');
    if (failure.kind === 'unauthorized') {
      connection.abandon('it wants authorization');
      void this.#disconnect('needs-auth').then(() => this.#set('needs-auth', failure.message));
    }
  }

  #onLost(connection: Connection, why: string): void {
    if (this.#connection !== connection) return;
    this.#connection = undefined;
    const { clock } = this.#ports;
    if (clock.monotonicMs() - this.#connectedAtMs >= STABLE_MS) this.#attempts = 0;
    this.#set('failed', `The connection was lost: it ${cleanText(why, 500)}.`.replace('it it ', 'it '));
    // The first attempt is made at once: most losses are restarts.
    if (this.#attempts <= 1) void this.#connect();
    else this.#retryLater();
  }

  #onFailure(error: unknown): void {
    const failure = failureOf(error);
    const message = failure.kind === 'deadline' ? failure.error.message : failure.message;
    this.#set(failure.kind === 'unauthorized' ? 'needs-auth' : 'failed', cleanText(message, 1_000));
    // A program that never started will not start by itself later; a server in the net may (F82).
    const worthTrying = this.#offers !== undefined || (this.#config !== undefined && isRemote(this.#config));
    if (failure.kind !== 'unauthorized' && worthTrying) this.#retryLater();
  }

  #retryLater(): void {
    if (this.#attempts >= MAX_ATTEMPTS) return;
    const pause = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.max(0, this.#attempts - 1));
    this.#cancelRetry = this.#ports.clock.timer(
      pause * (0.5 + this.#ports.random() / 2),
      () => void this.#connect(),
    );
  }

  async #disconnect(status: McpStatus): Promise<void> {
    this.#cancelRetry();
    this.#lifetime.abort('disconnected');
    this.#lifetime = new AbortController();
    const [connection, attempt] = [this.#connection, this.#attempt];
    this.#connection = undefined;
    this.#attempt = undefined;
    this.#set(status, undefined);
    await Promise.allSettled([connection?.close(), attempt]);
  }

  #set(status: McpStatus, error: string | undefined): void {
    this.#status = status;
    this.#error = error;
    if (!this.#closed) this.#ports.onChange();
  }
}
