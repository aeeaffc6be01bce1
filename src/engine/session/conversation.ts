/** The conversation of a session: its record, its view, its name, and what goes before its first message. */
import type { MemoryFile } from '../../memory/memory-file.ts';
import type { ViewMessage } from '../../protocol/model/messages.ts';
import type { Usage } from '../../protocol/model/wire.ts';
import type { Recorder } from '../../protocol/session/journal.ts';
import type { ResumedSession } from '../../session/resume/resume.ts';
import type { PersistentList } from '../../util/collections/persistent-list.ts';
import type { SessionJournal } from '../storage/session-journal.ts';

/** What is fetched once and goes before the conversation. */
export interface SessionContexts {
  readonly memoryFiles: readonly MemoryFile[];
  readonly isRepository: boolean;
  readonly gitStatus: string;
  /** How the main conversation keeps notes, and what they say; undefined: it keeps none. */
  readonly ownMemory: string | undefined;
  /** `YYYY-MM-DD`. */
  readonly date: string;
}

/** What the provider counted for the first `length` messages of the view whose root this is. */
interface MeasuredUsage {
  readonly usage: Usage;
  readonly length: number;
  readonly root: object;
}

export class Conversation {
  readonly sessionId: string;
  readonly journal: SessionJournal;
  #title: string | undefined;
  #isOpen = false;
  #answered: ReadonlySet<string> | undefined;
  #contexts: SessionContexts | undefined;
  #measured: MeasuredUsage | undefined;
  #snapshot: string | undefined;
  #successor: string | undefined;
  #isHandedOver = false;

  constructor(sessionId: string, journal: SessionJournal, title?: string) {
    this.sessionId = sessionId;
    this.journal = journal;
    this.#title = title;
    journal.onEntry((body) => {
      if (body.type !== 'response' || body.broken === true) return;
      const { length, root } = journal.view.messages;
      this.#measured = { usage: body.usage, length, root };
    });
  }

  get messages(): PersistentList<ViewMessage> {
    return this.journal.view.messages;
  }

  get recorder(): Recorder {
    return this.journal.recorder;
  }

  /** What the session is called; undefined: it has no name yet. */
  get title(): string | undefined {
    return this.#title;
  }

  /** The journal was opened, so the session may be written to. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Usage of the last answer, and how long the view was when it had ended. */
  get measured(): MeasuredUsage | undefined {
    return this.#measured;
  }

  /** Undefined until they were fetched. */
  get contexts(): SessionContexts | undefined {
    return this.#contexts;
  }

  /** Id of the session that follows this one; undefined: this one was not cleared. */
  get successor(): string | undefined {
    return this.#successor;
  }

  /** The following session has an engine, which took over what this one would close. */
  get isHandedOver(): boolean {
    return this.#isHandedOver;
  }

  /** The journal is open; `recovered`: what earlier processes recorded. */
  opened(recovered: Pick<ResumedSession, 'answered' | 'title'> | undefined): void {
    this.#isOpen = true;
    this.#answered = recovered?.answered;
    this.#title = recovered?.title ?? this.#title;
  }

  /** An earlier process, or the session that this one is a fork of, answered the prompt of this uuid. */
  wasAnswered(promptUuid: string): boolean {
    return this.#answered?.has(promptUuid) === true;
  }

  rename(title: string): void {
    this.#title = title;
  }

  /** Later calls give the contexts of the first, so that the head of requests keeps its bytes (L3). */
  async fetchContexts(fetch: () => Promise<SessionContexts>): Promise<SessionContexts> {
    this.#contexts ??= await fetch();
    return this.#contexts;
  }

  /** Whether this head of requests (a sum of it) is another than the last recorded one; it then is the last. */
  isNewSnapshot(hash: string): boolean {
    if (hash === this.#snapshot) return false;
    this.#snapshot = hash;
    return true;
  }

  /** From here on this session takes no more prompts: another conversation begins under this id. */
  clear(successor: string): void {
    this.#successor = successor;
  }

  /** The engine of the following session closes what this one shared with it. */
  handOver(): void {
    this.#isHandedOver = true;
  }
}
