/**
 * The stream of a run for those who follow its session from elsewhere. What the journal records is made of
 * the journal; the other messages are written beside it, at their place in the order of both.
 */
import type { JournalMapper, SDKMessage } from '../../index.ts';
import type { Clock, JournalStore } from '../../protocol/ports.ts';
import type { JournalEntry } from '../../protocol/session/journal.ts';
import { systemClock } from '../../util/clock.ts';
import { behind, isEphemeral, MAX_BEHIND, openFollowedJournal } from '../stream.ts';
import type { RunStatement, Statements } from './database.ts';
import { followedMs } from './followers.ts';
import type { Listener } from './listen.ts';
import { outlasting } from './outlasting.ts';
import { rowsInto, type StreamRow, type StreamRows, streamValues } from './stream-rows.ts';

/** Writes the stream of one run of a session. */
interface Outbox {
  /** For `createJournalStore`: what has to be visible before the records of the next append. */
  readonly alongside: (sessionId: string) => StreamRows | undefined;
  /** The same store, whose appends give each message its place. Use it as the engine's. */
  over(store: JournalStore): JournalStore;
  /** Takes a message of `query()`, as it is yielded. */
  take(message: SDKMessage): void;
  /** Writes what is left. */
  close(): Promise<void>;
}

interface OutboxOptions {
  readonly database: Statements;
  readonly listener: Pick<Listener, 'watch'>;
  readonly sessionId: string;
  readonly clock?: Pick<Clock, 'monotonicMs' | 'timer'> | undefined;
}

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

export async function openOutbox(options: OutboxOptions): Promise<Outbox> {
  return new RunOutbox(options, await openFollowedJournal());
}

interface Row extends StreamRow {
  readonly isFrame: boolean;
}

class RunOutbox implements Outbox {
  readonly #options: OutboxOptions;
  readonly #run: RunStatement;
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
  #pending: Row[] = [];
  /** Rows that are part of the append under way. */
  #along: readonly Row[] = [];
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

  constructor(options: OutboxOptions, mapper: JournalMapper) {
    this.#options = options;
    this.#run = outlasting(options.database).run;
    this.#mapper = mapper;
    this.#clock = options.clock ?? systemClock;
    this.#stopWatching = options.listener.watch('follow', options.sessionId, () => this.#look());
  }

  readonly alongside = (sessionId: string): StreamRows | undefined => {
    if (sessionId !== this.#options.sessionId) return undefined;
    this.#along = this.#takeWritable();
    return this.#along.length === 0 ? undefined : rowsOf(this.#along);
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
      this.#put(message, false);
      return;
    }
    const isFollowed = this.#isFollowed();
    if (message.type === 'stream_event' && this.#block.length < BLOCK_EVENTS) {
      this.#block.push(message);
      if (isFollowed) this.#showBlock();
    } else if (isFollowed) this.#put(message, true);
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
    this.#pending = this.#pending.filter(({ isFrame }) => !isFrame);
  }

  #showBlock(): void {
    for (const event of this.#block.slice(this.#shown)) this.#put(event, true);
    this.#shown = this.#block.length;
  }

  #put(message: SDKMessage, isFrame: boolean): void {
    if (this.#n === MAX_BEHIND) return;
    this.#n += 1;
    this.#pending.push({
      afterSeq: this.#sent,
      n: behind(this.#epoch, this.#n),
      message: JSON.stringify(message),
      isFrame,
    });
    this.#schedule();
  }

  /** Those whose place is behind a written record. */
  #takeWritable(): readonly Row[] {
    const rows = this.#pending.filter(({ afterSeq }) => afterSeq <= this.#head);
    this.#pending = this.#pending.filter(({ afterSeq }) => afterSeq > this.#head);
    return rows;
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
    const rows = rowsOf(this.#takeWritable());
    this.#hasFrames ||= rows.frames.length > 0;
    const { sessionId } = this.#options;
    const [row] = await this.#run<{ readonly ms: number | null }>(
      rows.messages.length > 0 ? WRITE_MESSAGES : WRITE_FRAMES,
      [...[sessionId, this.#epoch, this.#cut], ...streamValues([rows])],
    ).catch(() => [{ ms: null }]);
    if (row === undefined) this.#isOver = true;
    else this.#followedUntilMs = this.#clock.monotonicMs() + (row.ms ?? 0);
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

function rowsOf(rows: readonly Row[]): StreamRows {
  return {
    messages: rows.filter(({ isFrame }) => !isFrame),
    frames: rows.filter(({ isFrame }) => isFrame),
  };
}

/** Nothing, and no row, when a newer epoch owns the session. */
const write = (lock: string): string => `
  with fence as (
    select session_id, epoch, 1 as at from turnwright.sessions
    where session_id = $1 and epoch = $2 ${lock}
  ), gone as (
    delete from turnwright.frames using fence where frames.session_id = $1 and after_seq < $3
  ), messages as (${rowsInto('messages', 4)}
  ), frames as (${rowsInto('frames', 8)}
  ), follower as (
    select until from turnwright.followers where session_id = $1 and until > now()
  )
  select (select extract(epoch from until - now())::float8 * 1000 from follower) as ms,
    (select pg_notify('turnwright', 'journal ' || $1) from follower)
  from fence`;

const WRITE_MESSAGES = write('for share');
/**
 * A lock would be logged, and wait for the disk. Followers ignore frames of an epoch that has lost the
 * session.
 */
const WRITE_FRAMES = write('');
