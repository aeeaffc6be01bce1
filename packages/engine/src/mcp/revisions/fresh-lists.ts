/**
 * Lists that a server calls fresh for a time (`ttlMs`) are not asked for again meanwhile. Those that it calls
 * public serve all sessions of the process that reach it in the same way.
 */

import { sha256 } from '@turnwright/base/ids/hash-and-uuid.ts';
import type { Clock } from '../../protocol/ports.ts';
import type { KeptLists, ListKind, RpcResult } from '../connect/connection.ts';
import type { ServerConfig } from '../servers/server-config.ts';

interface Kept {
  readonly items: readonly RpcResult[];
  readonly untilMs: number;
}

const MAX_TTL_MS = 24 * 60 * 60_000;
const MAX_SHARED = 200;

/** By clock, because the times are those of one clock. */
const shared = new WeakMap<Pick<Clock, 'monotonicMs'>, Map<string, Kept>>();

/** The shortest time of the pages. One that says nothing is not fresh. */
function pickTtl(pages: readonly RpcResult[]): number {
  const times = pages.map(({ ttlMs }) => (typeof ttlMs === 'number' && ttlMs > 0 ? ttlMs : 0));
  return Math.min(MAX_TTL_MS, ...times);
}

/** Of one server of one session. */
export class FreshLists implements KeptLists {
  readonly #clock: Pick<Clock, 'monotonicMs'>;
  /** Its configuration: who is asked, as whom. */
  readonly #key: string;
  readonly #own = new Map<ListKind, Kept>();
  /** Lists in use that were read for another connection, and until when they are fresh. */
  readonly #borrowed = new Map<ListKind, number>();

  constructor(config: ServerConfig | undefined, clock: Pick<Clock, 'monotonicMs'>) {
    this.#clock = clock;
    this.#key = config !== undefined && 'url' in config ? sha256(JSON.stringify(config)) : '';
  }

  get(kind: ListKind): readonly RpcResult[] | undefined {
    const kept = this.#own.get(kind) ?? this.#shared.get(this.#place(kind));
    if (kept === undefined || kept.untilMs <= this.#clock.monotonicMs()) return undefined;
    this.#borrowed.set(kind, kept.untilMs);
    return kept.items;
  }

  keep(kind: ListKind, items: readonly RpcResult[], pages: readonly RpcResult[], sinceMs: number): void {
    this.#borrowed.delete(kind);
    const ttlMs = pickTtl(pages);
    const isPublic = pages.every(({ cacheScope }) => cacheScope === 'public');
    if (ttlMs === 0) return;
    const kept = { items, untilMs: sinceMs + ttlMs };
    if (!isPublic || this.#key === '') return void this.#own.set(kind, kept);
    const all = this.#shared;
    all.delete(this.#place(kind));
    all.set(this.#place(kind), kept);
    const [oldest] = all.keys();
    if (all.size > MAX_SHARED && oldest !== undefined) all.delete(oldest);
  }

  drop(kind?: ListKind): void {
    for (const each of kind === undefined ? (['tools', 'prompts', 'resources'] as const) : [kind]) {
      this.#own.delete(each);
      this.#borrowed.delete(each);
      this.#shared.delete(this.#place(each));
    }
  }

  /** Lists in use that are fresh no longer, and were not asked for since; each is named once. */
  takeStale(): readonly ListKind[] {
    if (this.#borrowed.size === 0) return [];
    const now = this.#clock.monotonicMs();
    const stale = [...this.#borrowed].filter(([, untilMs]) => untilMs <= now).map(([kind]) => kind);
    for (const kind of stale) this.#borrowed.delete(kind);
    return stale;
  }

  get #shared(): Map<string, Kept> {
    const all = shared.get(this.#clock) ?? new Map<string, Kept>();
    shared.set(this.#clock, all);
    return all;
  }

  #place(kind: ListKind): string {
    return `${this.#key}/${kind}`;
  }
}
