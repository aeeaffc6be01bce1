/**
 * The engine's way to the journal: opened on first use, observed while it is written, and known to be lost when
 * another owner took the session (then the run ends silently, L10.6).
 */
import type { CarryOn, LoopParams } from '../loop/deps.ts';
import type { JournalBody, Recorder } from '../protocol/journal.ts';
import type { AssistantMessage, TodoItem, UserMessage, ViewMessage } from '../protocol/messages.ts';
import type { PermissionDenial } from '../protocol/permission.ts';
import type { RecoveredTask } from '../protocol/task.ts';
import type { Terminal } from '../protocol/terminal.ts';
import type { Usage } from '../protocol/wire.ts';
import { codeOf } from '../util/code-of.ts';
import type { Writable } from '../util/writable.ts';
import { SessionView } from './session-view.ts';

/** What an earlier life of the session left behind. */
export interface Recovered {
  readonly view: Iterable<ViewMessage>;
  readonly totals?:
    | { readonly totalCostUsd: number; readonly modelUsage: Readonly<Record<string, unknown>> }
    | undefined;
  /** The submission that was cut off, and how to go on with it. */
  readonly interrupted?: Interrupted | undefined;
  /** What the provider counted for the first `length` messages of the view, unless it was edited since. */
  readonly counted?:
    | { readonly tokens: number; readonly length: number; readonly model: string | undefined }
    | undefined;
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
  readonly lost?: readonly AbortSignal[] | undefined;
  close(): Promise<void>;
}

export interface SessionJournal {
  readonly recorder: Recorder;
  readonly view: SessionView;
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
  let opening: Promise<OpenedJournal> | undefined;
  let recorder: Recorder | undefined;
  const lostListeners: (() => void)[] = [];
  const entryListeners = new Set<(body: JournalBody) => void>(written === undefined ? [] : [written]);

  const lose = () => {
    if (session.lost) return;
    session.lost = true;
    for (const listener of lostListeners) listener();
  };

  const open = async (): Promise<OpenedJournal> => {
    const opened = await openAdapter();
    session.view = new SessionView(opened.recovered?.view);
    session.earlierLives = opened.earlierLives;
    for (const signal of opened.lost ?? []) {
      if (signal.aborted) lose();
      signal.addEventListener('abort', lose, { once: true });
    }
    recorder = opened.recorder;
    return opened;
  };

  const journal = (): Promise<OpenedJournal> => {
    // A failed attempt is not remembered: the next submission may find the session free.
    opening ??= open().catch((error: unknown) => {
      opening = undefined;
      throw error;
    });
    return opening;
  };

  const failed = (error: unknown): never => {
    if (isFenced(error)) lose();
    throw error;
  };

  const appended = (entries: readonly JournalBody[]): undefined => {
    session.view.apply(entries);
    for (const entry of entries) for (const listener of entryListeners) listener(entry);
  };

  const append = (to: Recorder, entries: readonly JournalBody[]): Promise<void> | undefined => {
    const writing = to.append(entries);
    if (writing === undefined) return appended(entries);
    return writing.then(() => appended(entries), failed);
  };

  const session: Writable<SessionJournal> = {
    recorder: {
      append: (entries) =>
        recorder === undefined
          ? journal().then((opened) => append(opened.recorder, entries))
          : append(recorder, entries),
      later(entries) {
        if (recorder === undefined) journal().then((opened) => opened.recorder.later(entries), ignore);
        else recorder.later(entries);
        appended(entries);
      },
      commit: () => recorder?.commit()?.catch(failed),
    },
    view: new SessionView(),
    open: async () => (await journal()).recovered,
    earlierLives: 0,
    lost: false,
    onLost(listener) {
      lostListeners.push(listener);
    },
    onEntry(listener) {
      entryListeners.add(listener);
      return () => entryListeners.delete(listener);
    },
    async close() {
      await opening?.then(({ close }) => close(), ignore);
    },
  };
  return session;
}

/** Whoever waits for an append hears of it. */
function ignore(): void {}

function isFenced(error: unknown): boolean {
  return codeOf(error) === 'fenced';
}
