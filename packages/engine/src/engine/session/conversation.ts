/**
 * The conversation of a session: its journal, view and title, and the contexts that precede its first
 * message.
 */

import type { PersistentList } from '@turnwright/base/collections/persistent-list.ts';
import type { MemoryFile } from '../../memory/memory-file.ts';
import type { ViewMessage } from '../../protocol/model/messages.ts';
import type { Usage } from '../../protocol/model/wire.ts';
import type { Recorder } from '../../protocol/session/journal.ts';
import type { ResumedSession } from '../../session/resume/resume.ts';
import type { SessionJournal } from '../storage/session-journal.ts';

/** Fetched once; sent before the conversation. */
export interface SessionContexts {
  readonly memoryFiles: readonly MemoryFile[];
  readonly isRepository: boolean;
  readonly gitStatus: string;
  /** Instructions for the model's own notes, and the notes; undefined: it keeps none. */
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

  /** undefined: the session has no title yet. */
  get title(): string | undefined {
    return this.#title;
  }

  /** The journal is open: this process may write to the session. */
  get isOpen(): boolean {
    return this.#isOpen;
  }

  /** Usage of the last response, and the length of the view at its end. */
  get measured(): MeasuredUsage | undefined {
    return this.#measured;
  }

  /** undefined until they are fetched. */
  get contexts(): SessionContexts | undefined {
    return this.#contexts;
  }

  /** Id of the session that follows this one; undefined: this one was not cleared. */
  get successor(): string | undefined {
    return this.#successor;
  }

  /** The following session has an engine, which closes what both share. */
  get isHandedOver(): boolean {
    return this.#isHandedOver;
  }

  /** The journal is open; `recovered`: what earlier processes recorded. */
  opened(recovered: Pick<ResumedSession, 'answered' | 'title'> | undefined): void {
    this.#isOpen = true;
    this.#answered = recovered?.answered;
    this.#title = recovered?.title ?? this.#title;
  }

  /**
   * An earlier process, or the session that this one was forked from, has answered the prompt of this uuid.
   */
  wasAnswered(promptUuid: string): boolean {
    return this.#answered?.has(promptUuid) === true;
  }

  rename(title: string): void {
    this.#title = title;
  }

  /** Later calls return the contexts of the first, so the head of requests keeps its bytes (L3). */
  async fetchContexts(fetch: () => Promise<SessionContexts>): Promise<SessionContexts> {
    this.#contexts ??= await fetch();
    return this.#contexts;
  }

  /** Whether the hash of this head of requests differs from the last recorded one, which it replaces. */
  isNewSnapshot(hash: string): boolean {
    if (hash === this.#snapshot) return false;
    this.#snapshot = hash;
    return true;
  }

  /** From here on this session takes no more prompts: another conversation begins under this id. */
  clear(successor: string): void {
    this.#successor = successor;
  }

  /** From here on the engine of the following session closes what both share. */
  handOver(): void {
    this.#isHandedOver = true;
  }
}
