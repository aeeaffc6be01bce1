/** The stream of a session, made of its journal by the mapper that makes it while the session runs. */

import { stableUuid } from '@turnwright/base/ids/hash-and-uuid.ts';
import type { LoopMessage, ViewMessage } from '../../protocol/model/messages.ts';
import type { JournalEntry } from '../../protocol/session/journal.ts';
import type { SDKResultMessage } from '../../protocol/stream/result-message.ts';
import type { SDKMessage } from '../../protocol/stream/sdk-messages.ts';
import { messageOfRecord } from '../../session/journal/message-record.ts';
import { changesView, headOfCompaction, retractedBy, type ViewChange } from '../../view/changes.ts';
import { isMainRequest } from '../../view/fold.ts';
import { parkedMessage } from './record-result.ts';
import { createSdkMapper, type SdkMapper } from './to-sdk-message.ts';
import { toReplay } from './to-sdk-user.ts';

export interface JournalMapper {
  /**
   * The messages of an entry, in order; most entries have none. Takes the entries of one journal in order,
   * from the beginning of a submission on.
   */
  map(entry: JournalEntry): readonly SDKMessage[];
}

export interface JournalMapperOptions {
  /** Prompts too, with `isReplay: true`, as the option of `query()` does. Default false. */
  readonly replayUserMessages?: boolean | undefined;
  /** A notice for each attachment too, as the option of `query()` does. Default false. */
  readonly verbose?: boolean | undefined;
}

export function openJournalMapper(options: JournalMapperOptions): JournalMapper {
  return new FromJournal(options);
}

/** Nothing of a journal is timed. */
const NO_CLOCK = {
  nowMs: () => 0,
  monotonicMs: () => 0,
  sleep: () => Promise.resolve(),
  timer: () => () => {},
};

class FromJournal implements JournalMapper {
  readonly #options: JournalMapperOptions;
  #mapper: SdkMapper | undefined;
  /** uuids of the prompts of the submission, of those that joined it, and of those that are about to. */
  #own: string[] = [];
  #joined: string[] = [];
  #joining: string[] = [];
  /** The loop runs: what is recorded from here on is emitted. */
  #isRunning = false;
  /** uuids that were emitted in this submission: only these can be retracted. */
  readonly #emitted = new Set<string>();

  constructor(options: JournalMapperOptions) {
    this.#options = options;
  }

  map(entry: JournalEntry): readonly SDKMessage[] {
    // Agents have journals of their own.
    if ('isSidechain' in entry && entry.isSidechain === true) return [];
    switch (entry.type) {
      case 'submission':
        this.#begin(entry.sessionId, entry.carriesOn === true);
        return [];
      case 'request':
        this.#isRunning ||= isMainRequest(entry);
        return [];
      case 'inbox':
        return this.#join();
      case 'system': {
        const { v, seq, epoch, sessionId, cwd, parentUuid, submission, ...message } = entry;
        return this.#show(message);
      }
      case 'assistant':
        return entry.settled === true || entry.iteration === 0 ? [] : this.#showRecord(entry);
      case 'attachment':
        if (entry.attachment.type === 'queued_command') this.#joining.push(promptUuid(entry));
        return this.#showRecord(entry);
      case 'user':
        return this.#user(entry);
      case 'parked': {
        const uuid = entry.id.split('/').at(-1) ?? entry.id;
        return [parkedMessage(entry, { uuid, session_id: entry.sessionId })];
      }
      case 'result':
        return [...(this.#mapper?.flush() ?? []), entry.result as SDKResultMessage];
      default:
        return changesView(entry) ? this.#change(entry) : [];
    }
  }

  #change(entry: ViewChange & JournalEntry): readonly SDKMessage[] {
    const uuids = retractedBy(entry).filter((uuid) => this.#emitted.has(uuid));
    const { timestamp, id: uuid } = entry;
    if (uuids.length > 0)
      return this.#show({ type: 'tombstone', uuids, reason: 'superseded', uuid, timestamp });
    return headOfCompaction(entry).flatMap((message) => this.#show(message));
  }

  #begin(sessionId: string, carriesOn: boolean): void {
    if (!carriesOn) {
      this.#own = [];
      this.#joined = [];
      this.#emitted.clear();
    }
    this.#joining = [];
    this.#isRunning = carriesOn;
    const { replayUserMessages = false, verbose = false } = this.#options;
    this.#mapper = createSdkMapper({
      sessionId,
      ids: { uuid: () => stableUuid(sessionId) },
      clock: NO_CLOCK,
      includePartialMessages: false,
      replayUserMessages,
      verbose,
      userMessageUuids: this.#own,
      joinedUuids: this.#joined,
    });
  }

  /** The queued prompts that were attached are part of the turn from here on. */
  #join(): readonly SDKMessage[] {
    this.#joined.push(...this.#joining.splice(0));
    const replays: SDKMessage[] = [];
    this.#mapper?.joined((replay) => replays.push(replay) > 0);
    return replays;
  }

  #user(entry: Extract<JournalEntry, { type: 'user' }>): readonly SDKMessage[] {
    if (entry.kind === 'prompt') {
      this.#own.push(entry.uuid);
      const { content } = entry.message;
      return this.#options.replayUserMessages === true
        ? [toReplay({ ...entry, content }, entry.sessionId)]
        : [];
    }
    // The set-up's messages are for the model: those of commands, preloaded skills, an earlier conversation.
    const isEmitted = this.#isRunning || entry.kind === 'tool_result' || entry.kind === 'interruption';
    return isEmitted ? this.#showRecord(entry) : [];
  }

  #showRecord(entry: JournalEntry): readonly SDKMessage[] {
    const message = messageOfRecord(entry);
    return message === undefined ? [] : this.#show(message);
  }

  #show(message: ViewMessage | LoopMessage): readonly SDKMessage[] {
    // How much was thought so far is said while it is thought.
    const shown = this.#mapper?.map(message).filter((each) => !isThinkingTokens(each)) ?? [];
    for (const { uuid } of shown) if (uuid !== undefined) this.#emitted.add(uuid);
    return shown;
  }
}

function promptUuid({ attachment, uuid }: Extract<JournalEntry, { type: 'attachment' }>): string {
  const { sourceUuid } = attachment as { readonly sourceUuid?: string };
  return sourceUuid ?? uuid;
}

function isThinkingTokens(message: SDKMessage): boolean {
  return message.type === 'system' && message.subtype === 'thinking_tokens';
}
