/**
 * The connection to one server, over time: connected, lost, reconnected with growing pauses, switched off and
 * on (F80–F82).
 */

import { cleanText } from '@turnwright/base/text/clean-text.ts';
import type { Clock, RandomPort } from '../../protocol/ports.ts';
import type { McpStatus } from '../../protocol/tools/mcp.ts';
import type { Connection } from './connection.ts';
import { classifyFailure } from './connection-failure.ts';

interface LinkPorts {
  readonly clock: Clock;
  readonly random: RandomPort;
  /** Time limit of connecting, ms. */
  readonly startMs: number;
  /** Retries a failed start: a remote server may become available, a program that cannot run will not. */
  readonly retriesStart: boolean;
  /** Connects and reads the server's offers. Rejects, leaving nothing open. */
  open(signal: AbortSignal): Promise<Connection>;
  onChange(): void;
}

/** Attempts in a row before the link waits for a request; ms between them, doubled up to a limit. */
const MAX_ATTEMPTS = 8;
const FIRST_PAUSE_MS = 1_000;
const MAX_PAUSE_MS = 30_000;
/** A connection that lived this long resets the number of attempts, ms. */
const STABLE_MS = 30_000;
/** How long a call waits for a server that is not connected, and how often it checks, ms. */
const WAIT_MS = 10_000;
const LOOK_MS = 500;
/** Time limit of a sign of life, ms. */
const PING_MS = 5_000;
const MAX_ERROR_CHARS = 1_000;

export class ServerLink {
  readonly #ports: LinkPorts;
  #status: McpStatus = 'pending';
  #error: string | undefined;
  #connection: Connection | undefined;
  #connectedAtMs = 0;
  #wasConnected = false;
  #attempt: Promise<void> | undefined;
  #attempts = 0;
  #lifetime = new AbortController();
  #cancelRetry = () => {};
  #closed = false;

  constructor(ports: LinkPorts) {
    this.#ports = ports;
  }

  get status(): McpStatus {
    return this.#status;
  }

  /** Why it is not connected. */
  get error(): string | undefined {
    return this.#error;
  }

  get connection(): Connection | undefined {
    return this.#connection;
  }

  /** Aborted with the present connection. */
  get signal(): AbortSignal {
    return this.#lifetime.signal;
  }

  /** One attempt, or the pending one. Never rejects; sets the status. */
  connect(): Promise<void> {
    if (this.#connection !== undefined || this.#closed) return Promise.resolve();
    this.#attempt ??= this.#tryConnect(this.#lifetime.signal);
    return this.#attempt;
  }

  /** The connection; reconnects if there is none. undefined if that fails. */
  async ready(signal: AbortSignal): Promise<Connection | undefined> {
    const { clock } = this.#ports;
    const until = clock.monotonicMs() + WAIT_MS;
    const waits = new AbortController();
    const onAbort = () => waits.abort(signal.reason);
    signal.addEventListener('abort', onAbort, { once: true });
    try {
      while (true) {
        signal.throwIfAborted();
        if (this.#connection !== undefined) return this.#connection;
        const left = until - clock.monotonicMs();
        if (this.#closed || this.#status === 'disabled' || this.#status === 'needs-auth' || left <= 0)
          return undefined;
        await Promise.race([this.connect(), clock.sleep(left, waits.signal)]);
        if (this.#connection === undefined && this.#worthRetrying)
          await clock.sleep(Math.min(LOOK_MS, left), waits.signal);
        else if (this.#connection === undefined) return undefined;
      }
    } finally {
      signal.removeEventListener('abort', onAbort);
      waits.abort('over');
    }
  }

  /** Closes the connection and connects anew; sets the status. */
  async reconnect(): Promise<void> {
    await this.#disconnect('pending', undefined);
    this.#attempts = 0;
    await this.connect();
  }

  async setEnabled(on: boolean): Promise<void> {
    if (on === (this.#status !== 'disabled')) return;
    await this.#disconnect(on ? 'pending' : 'disabled', undefined);
    this.#attempts = 0;
    if (on) await this.connect();
  }

  async close(): Promise<void> {
    this.#closed = true;
    await this.#disconnect('disabled', undefined);
  }

  /** Updates the state by what a failed request shows about the connection. */
  heed(error: unknown, connection: Connection): void {
    if (connection !== this.#connection) return;
    const failure = classifyFailure(error);
    if (failure.kind === 'session_gone') this.#lost(connection, 'its session is over');
    if (failure.kind === 'not_delivered') this.#lost(connection, 'it cannot be reached');
    if (failure.kind === 'lost') void this.#check(connection);
    if (failure.kind === 'unauthorized') void this.#disconnect('needs-auth', failure.message);
  }

  /** One lost answer need not be the end of the connection, which other calls may use. */
  async #check(connection: Connection): Promise<void> {
    const limit = new AbortController();
    const cancelLimit = this.#ports.clock.timer(PING_MS, () => limit.abort(new Error('No answer.')));
    try {
      await connection.check(limit.signal);
    } catch (error) {
      // Some transports reject with an error of the protocol, like an answer, when the limit is reached.
      if (limit.signal.aborted || classifyFailure(error).kind === 'lost')
        this.#lost(connection, 'it does not answer any more');
      else this.heed(error, connection);
    } finally {
      cancelLimit();
    }
  }

  get #worthRetrying(): boolean {
    return this.#wasConnected || this.#ports.retriesStart;
  }

  async #tryConnect(lifetime: AbortSignal): Promise<void> {
    const { clock, startMs, open } = this.#ports;
    this.#cancelRetry();
    this.#attempts += 1;
    this.#set('pending', this.#error);
    const attempt = new AbortController();
    const onAbort = () => attempt.abort(lifetime.reason);
    lifetime.addEventListener('abort', onAbort, { once: true });
    const cancelLimit = clock.timer(startMs, () =>
      attempt.abort(new Error(`It was not ready within ${startMs / 1000} s.`)),
    );
    try {
      const connection = await open(attempt.signal);
      if (lifetime.aborted) {
        await connection.close();
        return;
      }
      this.#attempt = undefined;
      this.#connection = connection;
      this.#connectedAtMs = clock.monotonicMs();
      this.#wasConnected = true;
      void connection.lost.then((why) => this.#lost(connection, why));
      this.#set('connected', undefined);
    } catch (error) {
      if (lifetime.aborted) return;
      this.#attempt = undefined;
      this.#failed(attempt.signal.aborted ? attempt.signal.reason : error);
    } finally {
      cancelLimit();
      lifetime.removeEventListener('abort', onAbort);
    }
  }

  #lost(connection: Connection, why: string): void {
    if (this.#connection !== connection) return;
    this.#connection = undefined;
    this.#renewLifetime();
    connection.abandon(why);
    if (this.#ports.clock.monotonicMs() - this.#connectedAtMs >= STABLE_MS) this.#attempts = 0;
    this.#set('failed', cleanText(`The connection was lost: ${why}.`, MAX_ERROR_CHARS));
    // The first attempt is immediate: most losses are restarts.
    if (this.#attempts <= 1) void this.connect();
    else this.#retryLater();
  }

  #failed(error: unknown): void {
    const failure = classifyFailure(error);
    const unauthorized = failure.kind === 'unauthorized' || failure.kind === 'needs_scope';
    const message = failure.kind === 'deadline' ? failure.error.message : failure.message;
    this.#set(unauthorized ? 'needs-auth' : 'failed', cleanText(message, MAX_ERROR_CHARS));
    if (!unauthorized && this.#worthRetrying) this.#retryLater();
  }

  #retryLater(): void {
    if (this.#attempts >= MAX_ATTEMPTS) return;
    const pause = Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** Math.max(0, this.#attempts - 1));
    const jittered = pause * (0.5 + this.#ports.random() / 2);
    this.#cancelRetry();
    this.#cancelRetry = this.#ports.clock.timer(jittered, () => void this.connect());
  }

  async #disconnect(status: McpStatus, error: string | undefined): Promise<void> {
    this.#cancelRetry();
    const [connection, attempt] = [this.#connection, this.#attempt];
    this.#connection = undefined;
    this.#attempt = undefined;
    this.#renewLifetime();
    this.#set(status, error);
    await Promise.allSettled([connection?.close(), attempt]);
  }

  #renewLifetime(): void {
    const ended = this.#lifetime;
    this.#lifetime = new AbortController();
    ended.abort(new Error('The connection ended.'));
  }

  #set(status: McpStatus, error: string | undefined): void {
    this.#status = status;
    this.#error = error;
    if (!this.#closed) this.#ports.onChange();
  }
}
