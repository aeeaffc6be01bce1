/**
 * The stream of a run for those who follow its session from elsewhere. What the journal records is made of
 * the journal; the other messages are written beside it, at their place in the order of both.
 */

import { systemClock } from '@turnwright/base/clock.ts';
import type { JournalMapper, SDKMessage } from '@turnwright/engine';
import type { Clock, Frame, JournalStore, Outbox } from '@turnwright/engine/protocol/ports.ts';
import type { JournalEntry } from '@turnwright/engine/protocol/session/journal.ts';
import type { Statements } from '../postgres/database.ts';
import { followedMs } from '../postgres/followers.ts';
import type { Listener } from '../postgres/listener.ts';
import { createOutbox } from '../postgres/outbox-rows.ts';
import { behind, isEphemeral, MAX_BEHIND, openFollowedJournal } from './position.ts';

/** Writes the stream of one run of a session. */
interface RunOutbox {
  /** For `createJournalStore`: what has to be visible before the records of the next append. */
  readonly alongside: (sessionId: string) => readonly Frame[];
  /** The same store, whose appends give each message its place. Use it as the engine's. */
  over(store: JournalStore): JournalStore;
  /** Takes a message of `query()`, as it is yielded. */
  take(message: SDKMessage): void;
  /** Writes what is left. */
  close(): Promise<void>;
}

interface RunOutboxOptions {
  readonly database: Statements;
  readonly listener: Pick<Listener, 'watch' | 'wakes'>;
  readonly sessionId: string;
  /** Of the run's takeovers (`createJournalStore`). */
  readonly owner: string;
  readonly clock?: Pick<Clock, 'monotonicMs' | 'timer'> | undefined;
}

const KEPT = true;
const PASSING = false;
const NOT_FOLLOWED = { followedMs: 0 };
/** Frames are written together, at most this often, in ms. */
const BATCH_MS = 25;
/** Records, most of them frequent, that followers make no message of. */
const SILENT: ReadonlySet<string> = new Set([
  'intent',
  'response',
  'decision',
  'cost',
  'queue',
  'file-change',
]);
/** Events of an unfinished block that are kept for a follower who comes late. */
const BLOCK_EVENTS = 5_000;

export async function openRunOutbox(options: RunOutboxOptions): Promise<RunOutbox> {
  return new SessionRunOutbox(options, await openFollowedJournal());
}

class SessionRunOutbox implements RunOutbox {
  readonly #options: RunOutboxOptions;
  readonly #outbox: Outbox;
  readonly #mapper: JournalMapper;
  readonly #clock: Pick<Clock, 'monotonicMs' | 'timer'>;
  readonly #stopWatching: () => void;
  /** uuids of messages that followers make of the journal. */
  readonly #recorded = new Set<string>();
  #epoch = 0;
  /** Last record that is written, and the last one of the append that is under way. */
  #head = 0;
  #sent = 0;
  /** Position of the last message behind the same record. */
  #n = 0;
  #pending: Frame[] = [];
  /** Rows that are part of the append under way. */
  #along: readonly Frame[] = [];
  /** Events of the unfinished block, and how many of them are written or about to be. */
  #block: SDKMessage[] = [];
  #shown = 0;
  /** Frames behind earlier records are of finished blocks. */
  #cut = 0;
  #followedUntilMs = 0;
  #hasFrames = false;
  #isLooking = false;
  #flushing: Promise<void> | undefined;
  #cancelTimer: (() => void) | undefined;
  #writtenMs = 0;
  #isOver = false;

  constructor(options: RunOutboxOptions, mapper: JournalMapper) {
    this.#options = options;
    this.#outbox = createOutbox(options.database, options.listener, options.owner);
    this.#mapper = mapper;
    this.#clock = options.clock ?? systemClock;
    this.#stopWatching = options.listener.watch('follow', options.sessionId, () => this.#look());
  }

  readonly alongside = (sessionId: string): readonly Frame[] => {
    if (sessionId !== this.#options.sessionId) return [];
    this.#along = this.#takeWritable();
    return this.#along;
  };

  over(store: JournalStore): JournalStore {
    const { sessionId } = this.#options;
    return {
      ...store,
      takeOver: async (id, options) => {
        const taken = await store.takeOver(id, options);
        if (id === sessionId) this.#begin(taken);
        return taken;
      },
      append: async (id, epoch, afterSeq, entries) => {
        if (id !== sessionId) return store.append(id, epoch, afterSeq, entries);
        // What is being written precedes these records.
        await this.#flushing;
        this.#sent = afterSeq + entries.length;
        this.#n = 0;
        entries.forEach((body, at) => {
          if (SILENT.has(body.type)) return;
          const stamp = { v: 1, seq: afterSeq + 1 + at, epoch, sessionId: id, cwd: '', timestamp: '' };
          this.#note({ ...stamp, ...body } as JournalEntry);
        });
        const appended = await store.append(id, epoch, afterSeq, entries);
        this.#along = [];
        if ('fenced' in appended) this.#isOver = true;
        else this.#head = appended.seq;
        this.#schedule();
        return appended;
      },
    };
  }

  take(message: SDKMessage): void {
    if (this.#isOver) return;
    if (message.uuid !== undefined && this.#recorded.has(message.uuid)) {
      if (message.type === 'assistant') this.#endBlock();
      return;
    }
    if (!isEphemeral(message)) {
      this.#put(message, KEPT);
      return;
    }
    const isFollowed = this.#isFollowed();
    if (message.type === 'stream_event' && this.#block.length < BLOCK_EVENTS) {
      this.#block.push(message);
      if (isFollowed) this.#showBlock();
    } else if (isFollowed) this.#put(message, PASSING);
  }

  async close(): Promise<void> {
    this.#stopWatching();
    this.#cancelTimer?.();
    await this.#flushing;
    this.#dropFrames();
    const hasRows = this.#pending.length > 0 || this.#hasFrames;
    this.#cut = this.#sent + 1;
    if (hasRows && !this.#isOver) await this.#write();
    this.#isOver = true;
  }

  #begin({ epoch, head }: { readonly epoch: number; readonly head: number }): void {
    this.#epoch = epoch;
    this.#head = head;
    this.#sent = head;
    this.#look();
  }

  #note(entry: JournalEntry): void {
    if (entry.type === 'submission') this.#recorded.clear();
    for (const { uuid } of this.#mapper.map(entry)) if (uuid !== undefined) this.#recorded.add(uuid);
  }

  /** Its message takes the place of its events. */
  #endBlock(): void {
    this.#block = [];
    this.#shown = 0;
    this.#cut = this.#head;
    this.#dropFrames();
  }

  #dropFrames(): void {
    this.#pending = this.#pending.filter(({ isKept }) => isKept);
  }

  #showBlock(): void {
    for (const event of this.#block.slice(this.#shown)) this.#put(event, PASSING);
    this.#shown = this.#block.length;
  }

  #put(data: SDKMessage, isKept: boolean): void {
    if (this.#n === MAX_BEHIND) return;
    this.#n += 1;
    this.#pending.push({ at: { seq: this.#sent, n: behind(this.#epoch, this.#n) }, data, isKept });
    this.#schedule();
  }

  /** Those whose place is behind a written record. */
  #takeWritable(): readonly Frame[] {
    const frames = this.#pending.filter(({ at }) => at.seq <= this.#head);
    this.#pending = this.#pending.filter(({ at }) => at.seq > this.#head);
    return frames;
  }

  /** Without followers the next append takes them along. */
  #schedule(): void {
    if (this.#cancelTimer !== undefined || this.#pending.length === 0 || !this.#isFollowed()) return;
    const waitMs = Math.max(0, this.#writtenMs + BATCH_MS - this.#clock.monotonicMs());
    this.#cancelTimer = this.#clock.timer(waitMs, () => {
      this.#cancelTimer = undefined;
      if (this.#flushing !== undefined || this.#sent > this.#head || this.#isOver) return;
      this.#flushing = this.#write().finally(() => {
        this.#flushing = undefined;
        this.#schedule();
      });
    });
  }

  /** Never rejects: where the database fails, the next append says so. */
  async #write(): Promise<void> {
    this.#writtenMs = this.#clock.monotonicMs();
    const frames = this.#takeWritable();
    this.#hasFrames ||= frames.some(({ isKept }) => !isKept);
    const published = await this.#outbox
      .publish(this.#options.sessionId, this.#epoch, frames, this.#cut)
      .catch(() => NOT_FOLLOWED);
    if ('fenced' in published) this.#isOver = true;
    else this.#followedUntilMs = this.#clock.monotonicMs() + published.followedMs;
  }

  #isFollowed(): boolean {
    const isFollowed = this.#clock.monotonicMs() < this.#followedUntilMs;
    // Followers may have prolonged it.
    if (!isFollowed && this.#followedUntilMs > 0) this.#look();
    return isFollowed;
  }

  #look(): void {
    if (this.#isLooking || this.#isOver) return;
    this.#isLooking = true;
    const { database, sessionId } = this.#options;
    followedMs(database, sessionId)
      .then((ms) => this.#seen(ms))
      .catch(() => undefined)
      .finally(() => {
        this.#isLooking = false;
      });
  }

  /** A follower who comes late receives the events of the unfinished block too. */
  #seen(ms: number): void {
    this.#followedUntilMs = ms === 0 ? 0 : this.#clock.monotonicMs() + ms;
    if (ms === 0 || this.#isOver || this.#epoch === 0) return;
    this.#showBlock();
    this.#schedule();
  }
}
