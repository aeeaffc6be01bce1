/**
 * The engine's way to the journal: opened on first use, observed while it is written, and known to be lost when
 * another owner took the session (then the run ends silently, L10.6).
 */
import type { CarryOn, LoopParams } from '../../loop/deps.ts';
import type { Life } from '../../protocol/life.ts';
import type { TodoItem } from '../../protocol/model/attachment.ts';
import type { AssistantMessage, UserMessage } from '../../protocol/model/messages.ts';
import type { Usage } from '../../protocol/model/wire.ts';
import type { JournalBody, Recorder } from '../../protocol/session/journal.ts';
import type { SpentTotals } from '../../protocol/session/spending.ts';
import type { Terminal } from '../../protocol/session/terminal.ts';
import type { PermissionDenial } from '../../protocol/tools/permission.ts';
import type { RecoveredTask } from '../../protocol/tools/task.ts';
import { codeOf } from '../../util/code-of.ts';
import { ViewFold } from '../../view/fold.ts';

/** What an earlier life of the session left behind. */
export interface Recovered {
  /** The view, and how it goes on with what is recorded next. */
  readonly view: ViewFold;
  readonly totals?: SpentTotals | undefined;
  /** The submission that was cut off, and how to go on with it. */
  readonly interrupted?: Interrupted | undefined;
  /** What the provider counted for the first `length` messages of the view, unless it was edited since. */
  readonly counted?:
    | { readonly tokens: number; readonly length: number; readonly model: string | undefined }
    | undefined;
  readonly title?: string | undefined;
  /** What is left of a task budget. */
  readonly taskRemaining?: number | undefined;
  readonly todos: readonly TodoItem[];
  /** Background tasks whose end the model has not been told. */
  readonly tasks?: readonly RecoveredTask[] | undefined;
  /** Deferred tools that were loaded. */
  readonly loadedTools?: readonly string[] | undefined;
  /** Calls that the model marked as dead weight, removed or not. */
  readonly snipped?: readonly string[] | undefined;
  /** The plan that was approved last. */
  readonly plan?: string | undefined;
  /** Keys and uuids of prompts that are part of the conversation already. */
  readonly consumed?: ReadonlySet<string> | undefined;
  /** Those of them whose submission has its result. */
  readonly answered?: ReadonlySet<string> | undefined;
}

export interface Interrupted {
  readonly submission: string;
  /** Absent: ask the model again. */
  readonly carryOn?: CarryOn | undefined;
  /** Where the loop stood. */
  readonly startAt: NonNullable<LoopParams['startAt']>;
  /** What its answers cost. */
  readonly usages: readonly Usage[];
  /** The model it had been switched to. */
  readonly switched: { readonly from: string; readonly to: string } | undefined;
  /** What a command or skill had allowed for its duration. */
  readonly lent: readonly string[];
  /** What the host had answered, of calls that have not begun. */
  readonly answers: readonly { readonly toolUseId: string; readonly answer: unknown }[];
  /** Calls of its agents that were denied. */
  readonly denied: readonly PermissionDenial[];
  /** It had come to its end; only the result is missing. */
  readonly terminal?: Terminal | undefined;
  /** What it said in its earlier life. */
  readonly said: readonly (AssistantMessage | UserMessage)[];
  /** Entries that close it for good: what is open is answered "interrupted, outcome unknown". */
  readonly closing: readonly JournalBody[];
  /** Entries that must stand in the journal before it is carried on. */
  readonly reopening: readonly JournalBody[];
}

/** The adapter: a journal that was taken over, and what was in it. */
export interface OpenedJournal {
  readonly recorder: Recorder;
  /** How often the session was taken over before. */
  readonly earlierLives: number;
  readonly recovered?: Recovered | undefined;
  /** One is aborted when another owner took the session. */
  readonly lost?: readonly Pick<Life, 'onAbort'>[] | undefined;
  close(): Promise<void>;
}

export interface SessionJournal {
  readonly recorder: Recorder;
  /**
   * What the engine keeps of the conversation in memory: what a session that is resumed from these records would see. So
   * after a compaction only the summary, the kept tail and what follows are in it (L1 phase 7).
   */
  readonly view: ViewFold;
  /** Opens the journal; later calls give the same answer. Rejects with `session_in_use`, `session_not_found`, … */
  open(): Promise<Recovered | undefined>;
  /** How often the session was taken over before this engine opened it. */
  readonly earlierLives: number;
  /** Another owner has the session: nothing more may be said. */
  readonly lost: boolean;
  onLost(listener: () => void): void;
  /** Sees each entry once it is written, until the returned function is called. */
  onEntry(listener: (body: JournalBody) => void): () => void;
  close(): Promise<void>;
}

/** `written`: hears of each entry, like a listener. */
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
  earlierLives = 0;
  lost = false;

  constructor(openAdapter: () => Promise<OpenedJournal>, written: ((body: JournalBody) => void) | undefined) {
    this.#openAdapter = openAdapter;
    this.#entryListeners = written === undefined ? [] : [written];
  }

  /** Opens the journal for the first entry. */
  get recorder(): Recorder {
    return this;
  }

  async open(): Promise<Recovered | undefined> {
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
    this.earlierLives = opened.earlierLives;
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

/** Whoever waits for an append hears of it. */
function ignore(): void {}

function isFenced(error: unknown): boolean {
  return codeOf(error) === 'fenced';
}
