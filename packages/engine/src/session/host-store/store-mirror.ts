/** Copies transcripts to a host's store: after the local write, in order, and without delaying it. */

import { errorText } from '@turnwright/base/text/error-text.ts';
import type { Clock } from '../../protocol/ports.ts';
import type {
  SessionKey,
  SessionStore,
  SessionStoreEntry,
  SessionStoreFlush,
} from '../../protocol/session/session-store.ts';
import { type Acknowledged, seqOf } from './unsent-records.ts';

export interface StoreMirror {
  /** Returns immediately. */
  push(key: SessionKey, entries: readonly SessionStoreEntry[]): void;
  /** Resolves once everything pushed so far is stored, or the store has failed. Never rejects. */
  flush(): Promise<void>;
  /** Flushes, and makes no further attempt. Resolves to whether the store has everything. Never rejects. */
  close(): Promise<boolean>;
}

interface StoreMirrorOptions {
  readonly store: SessionStore;
  readonly flush: SessionStoreFlush;
  readonly clock: Pick<Clock, 'timer' | 'sleep'>;
  /** The entries of a transcript behind the one with this number, from where they were written first. */
  entriesAfter(key: SessionKey, after: number): AsyncIterable<SessionStoreEntry[]>;
  /** Called when the store falls behind, and when it has caught up. */
  onBehind(acknowledged: Acknowledged): void;
  /** Called when a transcript falls behind. */
  onError(error: string, key: SessionKey): void;
}

const BATCH_MS = 100;
const TRIES = 3;
const BACKOFF_MS = 200;
/** Between two attempts at a store that is behind. */
const AGAIN_MS = 5_000;
/** A call that is still pending then may succeed later: its entries may arrive twice. */
const APPEND_TIMEOUT_MS = 60_000;

interface Batch {
  readonly key: SessionKey;
  readonly entries: SessionStoreEntry[];
}

/** What the store lacks of a transcript: all that follows in its file, and what is in no file. */
interface Lag {
  readonly key: SessionKey;
  after: number;
  readonly aside: SessionStoreEntry[];
  /** More was written to the file since it was read. */
  hasMore: boolean;
}

const subpathOf = ({ subpath = '' }: SessionKey) => subpath;

export function createStoreMirror(options: StoreMirrorOptions): StoreMirror {
  return new Mirror(options);
}

class Mirror implements StoreMirror {
  readonly #options: StoreMirrorOptions;
  #pending: Batch[] = [];
  #cancelTimer: (() => void) | undefined;
  #cancelAgain: (() => void) | undefined;
  #sending: Promise<void> = Promise.resolve();
  #isClosed = false;
  /** By transcript: the number of the last entry that the store has. */
  readonly #acknowledged = new Map<string, number>();
  readonly #behind = new Map<string, Lag>();

  constructor(options: StoreMirrorOptions) {
    this.#options = options;
  }

  push(key: SessionKey, entries: readonly SessionStoreEntry[]): void {
    const lag = this.#behind.get(subpathOf(key));
    if (lag !== undefined) lag.hasMore = true;
    // These are in the file, from where they are sent.
    const kept = lag === undefined ? entries : entries.filter((entry) => seqOf(entry) === undefined);
    if (kept.length === 0) return;
    if (this.#options.flush === 'eager') {
      this.#pending.push({ key, entries: [...kept] });
      void this.#send(false);
      return;
    }
    const last = this.#pending.at(-1);
    if (last !== undefined && last.key.sessionId === key.sessionId && last.key.subpath === key.subpath)
      last.entries.push(...kept);
    else this.#pending.push({ key, entries: [...kept] });
    this.#cancelTimer ??= this.#options.clock.timer(BATCH_MS, () => void this.#send(false));
  }

  flush(): Promise<void> {
    return this.#send(true);
  }

  async close(): Promise<boolean> {
    this.#isClosed = true;
    await this.#send(true);
    this.#cancelAgain?.();
    return this.#behind.size === 0;
  }

  /** `again`: those that are behind get another attempt. */
  #send(again: boolean): Promise<void> {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    const batches = this.#pending;
    this.#pending = [];
    if (batches.length === 0 && !again) return this.#sending;
    this.#sending = this.#sending.then(async () => {
      if (again) for (const lag of [...this.#behind.values()]) await this.#catchUp(lag);
      for (const batch of batches) await this.#deliver(batch);
    });
    return this.#sending;
  }

  async #deliver({ key, entries }: Batch): Promise<void> {
    const name = subpathOf(key);
    const known = this.#acknowledged.get(name) ?? Number.NEGATIVE_INFINITY;
    const first = entries.find((entry) => seqOf(entry) !== undefined);
    const fresh = entries.filter((entry) => (seqOf(entry) ?? Number.POSITIVE_INFINITY) > known);
    const lag = this.#behind.get(name);
    const aside = fresh.filter((entry) => seqOf(entry) === undefined);
    if (lag !== undefined) {
      lag.aside.push(...aside);
      return;
    }
    if (fresh.length === 0) return;
    const error = await this.#append(key, fresh, TRIES);
    if (error === undefined) return;
    const before = first === undefined ? 0 : (seqOf(first) ?? 1) - 1;
    const after = this.#acknowledged.get(name) ?? before;
    this.#behind.set(name, { key, after, aside, hasMore: false });
    this.#options.onError(error, key);
    this.#tellBehind();
    this.#tryAgain();
  }

  /** Reads what is missing from the file, so that an outage takes no memory. */
  async #catchUp(lag: Lag): Promise<void> {
    try {
      do {
        lag.hasMore = false;
        for await (const chunk of this.#options.entriesAfter(lag.key, lag.after)) {
          if ((await this.#append(lag.key, chunk, 1)) !== undefined) return this.#tryAgain();
          lag.after = this.#acknowledged.get(subpathOf(lag.key)) ?? lag.after;
        }
        const aside = lag.aside.splice(0);
        if (aside.length > 0 && (await this.#append(lag.key, aside, 1)) !== undefined) {
          lag.aside.unshift(...aside);
          return this.#tryAgain();
        }
      } while (lag.hasMore || lag.aside.length > 0);
    } catch {
      return this.#tryAgain();
    }
    this.#behind.delete(subpathOf(lag.key));
    this.#tellBehind();
  }

  #tryAgain(): void {
    if (this.#isClosed) return;
    this.#cancelAgain?.();
    this.#cancelAgain = this.#options.clock.timer(AGAIN_MS, () => void this.#send(true));
  }

  #tellBehind(): void {
    const places = [...this.#behind].map(([name, { after }]) => [name, after]);
    this.#options.onBehind(Object.fromEntries(places));
  }

  /** Why it failed, after so many attempts. */
  async #append(key: SessionKey, entries: SessionStoreEntry[], tries: number): Promise<string | undefined> {
    for (let attempt = 1; ; attempt++) {
      const outcome = await this.#tryAppend(key, entries);
      if (outcome === 'done') {
        const last = entries.findLast((entry) => seqOf(entry) !== undefined);
        if (last !== undefined) this.#acknowledged.set(subpathOf(key), seqOf(last) as number);
        return undefined;
      }
      if (!outcome.again || attempt >= tries) return outcome.error;
      await this.#options.clock.sleep(BACKOFF_MS * attempt);
    }
  }

  async #tryAppend(
    key: SessionKey,
    entries: SessionStoreEntry[],
  ): Promise<'done' | { readonly error: string; readonly again: boolean }> {
    const { store, clock } = this.#options;
    const waiting = new AbortController();
    const late = clock.sleep(APPEND_TIMEOUT_MS, waiting.signal).then(
      () => ({ error: `The store took more than ${APPEND_TIMEOUT_MS / 1_000} s.`, again: false }),
      () => 'done' as const,
    );
    const appended = (async () => store.append(key, entries))().then(
      () => 'done' as const,
      (error: unknown) => ({ error: errorText(error), again: true }),
    );
    const outcome = await Promise.race([appended, late]);
    waiting.abort();
    return outcome;
  }
}
