/**
 * The journal of a session as the engine uses it: opened on first use, observed while it is written, and lost
 * when another owner takes the session over (the run then ends silently, L10.6).
 */

import { codeOf } from '@turnwright/base/text/error-text.ts';
import { toLife } from '../../model/life-of.ts';
import { TurnwrightError } from '../../protocol/errors.ts';
import type { Life } from '../../protocol/life.ts';
import type { JournalStore, LeaseStore } from '../../protocol/ports.ts';
import type { JournalBody, Recorder } from '../../protocol/session/journal.ts';
import { createJournalWriter } from '../../session/journal/journal-writer.ts';
import type { openEarlierRecords, ResumedSession } from '../../session/resume/resume.ts';
import { ViewFold } from '../../view/fold.ts';
import type { QueryEngineConfig } from '../config.ts';

/** A journal that this process has taken over. */
export interface OpenedJournal {
  readonly recorder: Recorder;
  /** How often the session was taken over before. */
  readonly earlierOwners: number;
  /** undefined: the session is not resumed. */
  readonly recovered?: ResumedSession | undefined;
  /** One is aborted when another owner takes the session over. */
  readonly lost?: readonly Pick<Life, 'onAbort'>[] | undefined;
  close(): Promise<void>;
}

export interface SessionJournal {
  readonly recorder: Recorder;
  /**
   * What the engine keeps of the conversation in memory: the view that a resume makes of these records. After
   * a compaction these are the summary, the kept tail and what follows (L1 phase 7).
   */
  readonly view: ViewFold;
  /** Opens the journal once; later calls return the same. undefined: the session is not resumed. */
  open(): Promise<ResumedSession | undefined>;
  /** How often the session was taken over before this engine opened it. */
  readonly earlierOwners: number;
  /** Another owner has the session: nothing more may be emitted. */
  readonly lost: boolean;
  onLost(listener: () => void): void;
  /** Called with each entry once it is written, until the returned function is called. */
  onEntry(listener: (body: JournalBody) => void): () => void;
  close(): Promise<void>;
}

/** `written`: called with each entry, like a listener. */
export function createSessionJournal(
  openAdapter: () => Promise<OpenedJournal>,
  written?: (body: JournalBody) => void,
): SessionJournal {
  return new Journal(openAdapter, written);
}

class Journal implements SessionJournal, Recorder {
  readonly #openAdapter: () => Promise<OpenedJournal>;
  #opening: Promise<OpenedJournal> | undefined;
  #opened: Recorder | undefined;
  #lostListeners: readonly (() => void)[] = [];
  #entryListeners: readonly ((body: JournalBody) => void)[];
  view = new ViewFold();
  earlierOwners = 0;
  lost = false;

  constructor(openAdapter: () => Promise<OpenedJournal>, written: ((body: JournalBody) => void) | undefined) {
    this.#openAdapter = openAdapter;
    this.#entryListeners = written === undefined ? [] : [written];
  }

  /** Opens the journal for the first entry. */
  get recorder(): Recorder {
    return this;
  }

  async open(): Promise<ResumedSession | undefined> {
    return (await this.#journal()).recovered;
  }

  append(entries: readonly JournalBody[]): Promise<void> | undefined {
    return this.#opened === undefined
      ? this.#journal().then((opened) => this.#append(opened.recorder, entries))
      : this.#append(this.#opened, entries);
  }

  later(entries: readonly JournalBody[]): void {
    if (this.#opened === undefined) this.#journal().then(({ recorder }) => recorder.later(entries), ignore);
    else this.#opened.later(entries);
    this.#appended(entries);
  }

  commit(): Promise<void> | undefined {
    return this.#opened?.commit()?.catch((error) => this.#failed(error));
  }

  onLost(listener: () => void): void {
    this.#lostListeners = [...this.#lostListeners, listener];
  }

  onEntry(listener: (body: JournalBody) => void): () => void {
    this.#entryListeners = [...this.#entryListeners, listener];
    return () => {
      this.#entryListeners = this.#entryListeners.filter((other) => other !== listener);
    };
  }

  async close(): Promise<void> {
    await this.#opening?.then(({ close }) => close(), ignore);
  }

  #journal(): Promise<OpenedJournal> {
    // A failed attempt is not remembered: the next submission may find the session free.
    this.#opening ??= this.#open().catch((error: unknown) => {
      this.#opening = undefined;
      throw error;
    });
    return this.#opening;
  }

  async #open(): Promise<OpenedJournal> {
    const opened = await this.#openAdapter();
    if (opened.recovered !== undefined) this.view = opened.recovered.view;
    this.earlierOwners = opened.earlierOwners;
    for (const life of opened.lost ?? []) life.onAbort(() => this.#lose());
    this.#opened = opened.recorder;
    return opened;
  }

  #append(to: Recorder, entries: readonly JournalBody[]): Promise<void> | undefined {
    const writing = to.append(entries);
    if (writing === undefined) return this.#appended(entries);
    return writing.then(
      () => this.#appended(entries),
      (error) => this.#failed(error),
    );
  }

  #appended(entries: readonly JournalBody[]): undefined {
    this.view.apply(entries);
    for (const entry of entries) for (const listener of this.#entryListeners) listener(entry);
  }

  #failed(error: unknown): never {
    if (isFenced(error)) this.#lose();
    throw error;
  }

  #lose(): void {
    if (this.lost) return;
    this.lost = true;
    for (const listener of this.#lostListeners) listener();
  }
}

/** The caller of `append` or `open` gets the error. */
function ignore(): void {}

function isFenced(error: unknown): boolean {
  return codeOf(error) === 'fenced';
}

interface OpenOptions {
  readonly store: JournalStore;
  /** undefined: the store has none. */
  readonly leases: LeaseStore | undefined;
  readonly sessionId: string;
  readonly config: QueryEngineConfig;
  /** First records of a session that is not resumed. */
  readonly beginning: readonly JournalBody[];
}

/**
 * Takes the session over and, if it is resumed, reads what earlier processes recorded. Rejects with
 * `session_in_use`, `session_not_found`, `session_exists`, and what the resume rejects with.
 */
export async function openJournal({
  store,
  leases,
  sessionId,
  config,
  beginning,
}: OpenOptions): Promise<OpenedJournal> {
  const { durability, resume } = config;
  const forks = config.forkSession === true;
  // Rejected before anything is written, a lock included.
  if (resume !== undefined) await refuseUnknown(store, resume);
  if ((resume === undefined || forks) && config.sessionId !== undefined)
    await refuseTaken(store, config.sessionId, config.stderr);
  const earlier = resume === undefined ? undefined : await earlierRecords(store, { ...config, resume });
  const lease = await leases?.acquire(sessionId, { takeOver: config.takeOver === true });
  try {
    // Taken over first, then read: what an earlier owner still writes is read, or rejected by the fence.
    const toResume = earlier !== undefined && !forks;
    const writer = await createJournalWriter({ store, sessionId, durability, toResume });
    if (resume === undefined && beginning.length > 0) await writer.append(beginning);
    const recovered = await earlier?.recover(writer);
    return {
      recorder: writer,
      earlierOwners: writer.epoch - 1,
      recovered,
      lost: lease === undefined ? [writer.fenced] : [writer.fenced, lease.life ?? toLife(lease.signal)],
      async close() {
        // Records that a full disk refused must not keep the session locked as well.
        try {
          await writer.close();
        } finally {
          await lease?.release();
        }
      },
    };
  } catch (error) {
    await lease?.release();
    throw error;
  }
}

/** Loaded for a resume. */
async function earlierRecords(...of: Parameters<typeof openEarlierRecords>) {
  return (await import('../../session/resume/resume.ts')).openEarlierRecords(...of);
}

/** A second conversation under the same id would be read as a part of the first. */
async function refuseTaken(
  store: JournalStore,
  sessionId: string,
  warn: QueryEngineConfig['stderr'],
): Promise<void> {
  if (!(await store.exists(sessionId))) return;
  for await (const _ of store.read(sessionId))
    throw new TurnwrightError(
      'session_exists',
      `There is a session ${sessionId} already. Resume it, or take another id.`,
    );
  // Its process was killed before the first record was whole.
  warn?.(`Session ${sessionId} was begun before, but nothing of it was recorded: it begins anew.`);
}

async function refuseUnknown(store: JournalStore, sessionId: string): Promise<void> {
  if (await store.exists(sessionId)) return;
  throw new TurnwrightError('session_not_found', `No conversation found with session ID: ${sessionId}`);
}
