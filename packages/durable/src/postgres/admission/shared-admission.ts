/**
 * Model requests of all workers, within the limits of their providers and tenants. A process takes what it
 * may use in slices of a second, so that no row is asked for each request.
 */

import { systemClock } from '@turnwright/base/clock.ts';
import { uuid } from '@turnwright/base/ids/hash-and-uuid.ts';
import type { Admission, Clock, Permit } from '@turnwright/engine/protocol/ports.ts';
import type { Statements } from '../database.ts';
import type { Listener } from '../listener.ts';
import { outlasting } from '../outlasting.ts';
import { type Amount, ASK_EACH_MS, LEASE_MS, NO_AMOUNT, sum } from './bucket.ts';
import { askForSlice, pauseProvider } from './buckets.ts';

interface AdmissionOptions {
  /** Model requests of this process at the same time. Default: no limit. */
  readonly maxConcurrent?: number | undefined;
  /** Default: the clock of the database for what processes share, and the one of the system to wait. */
  readonly clock?: Pick<Clock, 'nowMs' | 'monotonicMs' | 'timer'> | undefined;
}

/** The model requests of one process. */
export interface SharedAdmission {
  /** For the sessions of a tenant. */
  of(tenant: string): Admission;
  close(): void;
}

/** A longer pause is not waited for here: the request fails with it, so that its session can park. */
const LONGEST_WAIT_MS = 10_000;
/** How long a process sends without asking when there is no limit. A new one is announced. */
const UNLIMITED_MS = 10_000;

type Need = Parameters<Admission['acquire']>[0];
type Admitted = Awaited<ReturnType<Admission['acquire']>>;

interface Waiting {
  readonly need: Need;
  readonly tenant: string;
  resolve(admitted: Admitted): void;
  reject(error: unknown): void;
}

interface Lease {
  left: Amount;
  readonly untilMs: number;
}

/** `listener`: pauses and limits are heard of at once. */
export function createSharedAdmission(
  database: Statements,
  listener: Pick<Listener, 'watch'>,
  options: AdmissionOptions = {},
): SharedAdmission {
  const desks = new Map<string, ProviderDesk>();
  const process = new ProcessLimit(options.maxConcurrent);
  const worker = uuid();
  const stop = listener.watch('limit', undefined, (provider) => {
    for (const [name, desk] of desks)
      if (provider === undefined || provider === '*' || provider === name) desk.changed();
  });
  function deskOf(provider: string): ProviderDesk {
    const known = desks.get(provider);
    if (known !== undefined) return known;
    const made = new ProviderDesk({ database: outlasting(database), provider, worker, process, ...options });
    desks.set(provider, made);
    return made;
  }
  return {
    of: (tenant) => ({
      acquire: (need, signal) => deskOf(need.provider ?? 'default').acquire(need, tenant, signal),
    }),
    close() {
      stop();
      for (const desk of desks.values()) desk.close();
    },
  };
}

/** Requests at the same time, whatever their provider. */
class ProcessLimit {
  readonly #most: number;
  #running = 0;
  readonly #freed = new Set<() => void>();

  constructor(most: number = Number.POSITIVE_INFINITY) {
    this.#most = most;
  }

  get isFull(): boolean {
    return this.#running >= this.#most;
  }

  take(): void {
    this.#running += 1;
  }

  release(): void {
    this.#running -= 1;
    for (const listener of this.#freed) listener();
  }

  onFreed(listener: () => void): void {
    this.#freed.add(listener);
  }
}

interface DeskParts {
  readonly database: Statements;
  readonly provider: string;
  readonly worker: string;
  readonly process: ProcessLimit;
  readonly clock?: AdmissionOptions['clock'];
}

/** The requests of this process to one provider. */
class ProviderDesk {
  readonly #parts: DeskParts;
  readonly #clock: NonNullable<AdmissionOptions['clock']>;
  #waiting: Waiting[] = [];
  /** What may be used, by tenant. */
  readonly #leases = new Map<string, Lease>();
  /** What goes back with the next question, by tenant. */
  #returned = new Map<string, Amount>();
  /** What was admitted since the last question, by tenant: so much is asked for ahead, if there is plenty. */
  #admitted = new Map<string, Amount>();
  #hasPlenty = true;
  #unlimitedUntilMs = Number.NEGATIVE_INFINITY;
  #pausedUntilMs = Number.NEGATIVE_INFINITY;
  #isAsking = false;
  #wake: (() => void) | undefined;

  constructor(parts: DeskParts) {
    this.#parts = parts;
    this.#clock = parts.clock ?? systemClock;
    parts.process.onFreed(() => this.#serve());
  }

  acquire(need: Need, tenant: string, signal: AbortSignal): Promise<Admitted> {
    if (signal.aborted) return Promise.reject(signal.reason);
    return new Promise((resolve, reject) => {
      const leave = () => {
        this.#waiting = this.#waiting.filter((other) => other !== entry);
        reject(signal.reason);
      };
      const done = () => signal.removeEventListener('abort', leave);
      const entry: Waiting = {
        need,
        tenant,
        resolve(admitted) {
          done();
          resolve(admitted);
        },
        reject(error) {
          done();
          reject(error);
        },
      };
      this.#waiting.push(entry);
      signal.addEventListener('abort', leave, { once: true });
      this.#serve();
    });
  }

  /** A limit was set, or a pause was announced: what is known is asked for again. */
  changed(): void {
    this.#unlimitedUntilMs = Number.NEGATIVE_INFINITY;
    void this.#ask();
  }

  close(): void {
    this.#wake?.();
    this.#waiting = [];
  }

  /** Admits those who wait, as far as there is something to admit them with; asks for the others. */
  #serve(): void {
    const nowMs = this.#clock.monotonicMs();
    const pauseMs = this.#pausedUntilMs - nowMs;
    if (pauseMs > LONGEST_WAIT_MS) {
      for (const { resolve } of this.#waiting.splice(0))
        resolve({ retryAfterMs: pauseMs, settle: () => undefined });
      return;
    }
    if (pauseMs > 0) {
      this.#askIn(pauseMs);
      return;
    }
    const ordered = [...this.#waiting].sort((a, b) => Number(b.need.foreground) - Number(a.need.foreground));
    for (const entry of ordered) {
      if (this.#parts.process.isFull) return;
      if (this.#take(entry, nowMs)) this.#admit(entry);
    }
    if (this.#waiting.length > 0 && this.#wake === undefined) void this.#ask();
  }

  #take({ tenant, need }: Waiting, nowMs: number): boolean {
    const tokens = need.tokens ?? 0;
    if (nowMs < this.#unlimitedUntilMs) return true;
    const lease = this.#leases.get(tenant);
    if (lease === undefined || lease.untilMs <= nowMs || lease.left.requests < 1) return false;
    lease.left = sum(lease.left, { requests: -1, tokens: -tokens });
    this.#admitted.set(tenant, sum(this.#admitted.get(tenant) ?? NO_AMOUNT, { requests: 1, tokens }));
    return true;
  }

  #admit(entry: Waiting): void {
    this.#waiting = this.#waiting.filter((other) => other !== entry);
    this.#parts.process.take();
    entry.resolve(this.#permitFor(entry));
  }

  #permitFor({ tenant, need }: Waiting): Permit {
    let settled = false;
    return {
      settle: (usage, _headers, retryAfterMs) => {
        if (settled) return;
        settled = true;
        if (usage !== undefined && need.tokens !== undefined) {
          const used =
            usage.input_tokens + (usage.cache_creation_input_tokens ?? 0) + (usage.output_tokens ?? 0);
          this.#giveBack(tenant, { requests: 0, tokens: need.tokens - used });
        }
        if (retryAfterMs !== undefined && retryAfterMs > 0) this.#pause(retryAfterMs);
        this.#parts.process.release();
      },
    };
  }

  #pause(ms: number): void {
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, this.#clock.monotonicMs() + ms);
    const { database, provider, clock } = this.#parts;
    // The own process waits in any case; the others hear of it when the server is back.
    void pauseProvider(database, provider, ms, clock?.nowMs()).catch(() => undefined);
  }

  #giveBack(tenant: string, amount: Amount): void {
    this.#returned.set(tenant, sum(this.#returned.get(tenant) ?? NO_AMOUNT, amount));
  }

  /** One question at a time; who could not be admitted asks again within a second. */
  async #ask(): Promise<void> {
    if (this.#isAsking) return;
    this.#isAsking = true;
    this.#wake?.();
    this.#wake = undefined;
    try {
      await this.#askOnce();
    } catch (error) {
      for (const { reject } of this.#waiting.splice(0)) reject(error);
    } finally {
      this.#isAsking = false;
    }
    this.#serve();
  }

  async #askOnce(): Promise<void> {
    const { database, provider, worker, clock } = this.#parts;
    for (const [tenant, { left }] of this.#leases) this.#giveBack(tenant, left);
    this.#leases.clear();
    const wanted = this.#wanted();
    const returned = this.#returned;
    this.#returned = new Map();
    this.#admitted = new Map();
    const askedMs = this.#clock.monotonicMs();
    const { granted, pausedMs } = await database
      .transaction((run) => askForSlice(run, { provider, worker, wanted, returned, nowMs: clock?.nowMs() }))
      .catch((error: unknown) => {
        for (const [tenant, amount] of returned) this.#giveBack(tenant, amount);
        throw error;
      });
    this.#pausedUntilMs = Math.max(this.#pausedUntilMs, pausedMs > 0 ? askedMs + pausedMs : 0);
    if (granted === 'unlimited') {
      this.#unlimitedUntilMs = askedMs + UNLIMITED_MS;
      return;
    }
    // The slice ends before the second in which it was made.
    for (const [tenant, left] of granted) this.#leases.set(tenant, { left, untilMs: askedMs + LEASE_MS });
    this.#hasPlenty = [...wanted].every(
      ([tenant, { requests }]) => (granted.get(tenant)?.requests ?? 0) >= requests,
    );
    if (!this.#hasPlenty) this.#askIn(ASK_EACH_MS);
  }

  #wanted(): Map<string, Amount> {
    const wanted = this.#hasPlenty ? new Map(this.#admitted) : new Map<string, Amount>();
    for (const { tenant, need } of this.#waiting)
      wanted.set(tenant, sum(wanted.get(tenant) ?? NO_AMOUNT, { requests: 1, tokens: need.tokens ?? 0 }));
    return wanted;
  }

  #askIn(ms: number): void {
    if (this.#wake !== undefined) return;
    this.#wake = this.#clock.timer(ms, () => {
      this.#wake = undefined;
      if (this.#waiting.length > 0) void this.#ask();
    });
  }
}
