/**
 * What a journal holds of the runs of its loop: for each run its iterations, and for each iteration what its
 * ports answered, in order.
 */

import type { PersistentList } from '@turnwright/base/collections/persistent-list.ts';
import type {
  AssistantMessage,
  AttachmentMessage,
  SystemMessage,
  UserMessage,
  ViewMessage,
} from '../protocol/model/messages.ts';
import type { DecisionRecord } from '../protocol/session/decision-record.ts';
import type { JournalBody, JournalEntry } from '../protocol/session/journal.ts';
import type { ResumePoint } from '../protocol/session/resume-point.ts';
import type { RunFacts, Told } from '../protocol/session/told.ts';

export type RecordedEntry<T extends JournalBody['type']> = Extract<JournalEntry, { type: T }>;
export type EditRecord = RecordedEntry<'replacement' | 'snip' | 'collapse' | 'boundary'>;

/** One attempt at a request, and what came of it. */
export interface RecordedAttempt {
  readonly model: string;
  /** Output cap, as it was sent. */
  readonly maxTokens: number;
  readonly number: number;
  /** Waits before it, as they were announced. */
  readonly retries: readonly SystemMessage[];
  /** The blocks that were finished, in order. */
  readonly blocks: AssistantMessage[];
  /** Absent: no message began, or the process ended first. */
  response: RecordedEntry<'response'> | undefined;
}

export interface RecordedResult {
  readonly message: UserMessage;
  /** Messages that came with it. */
  readonly more: UserMessage[];
}

export interface RecordedIteration {
  readonly number: number;
  /** Absent: another program's transcript. */
  readonly record: DecisionRecord | undefined;
  readonly told: Told;
  readonly querySource: string;
  readonly attempts: readonly RecordedAttempt[];
  /** In the order in which they ended. */
  readonly results: ReadonlyMap<string, RecordedResult>;
  readonly attachments: readonly AttachmentMessage[];
  /** Prompts that joined the turn, by key. */
  readonly consumed: readonly string[];
  readonly edits: readonly EditRecord[];
  /** What the loop itself wrote: messages and retractions, in order. */
  readonly written: readonly JournalEntry[];
  /** uuids of the messages that the loop itself made, in order; '' where it announced a retraction. */
  readonly made: readonly string[];
  /** Messages for the user that context steps announced. */
  readonly notices: readonly SystemMessage[];
  readonly parked: RecordedEntry<'parked'> | undefined;
  /** Estimated tokens of a request outside its messages. undefined: not recorded. */
  head: number | undefined;
  /** What another program's transcript implies. */
  readonly implied?: 'continue' | 'stop';
}

/** One run of the loop: of a submission from its beginning, or from where a process took it up. */
export interface RecordedRun {
  readonly sessionId: string;
  readonly submission: string;
  /** Number of the submission in the journal, from 1. */
  readonly ordinal: number;
  readonly agentPath: string;
  /** The owner of the journal: what a process has learned, later runs of it know. */
  readonly epoch: number;
  /** As configured. */
  readonly model: string;
  readonly facts: RunFacts | undefined;
  /** Its contents were redacted. */
  readonly isRedacted: boolean;
  readonly view: PersistentList<ViewMessage>;
  readonly startAt: ResumePoint | undefined;
  /** Tokens that the provider had counted, where a process took the session up. */
  counted():
    | { readonly length: number; readonly tokens: number; readonly model: string | undefined }
    | undefined;
  readonly iterations: readonly RecordedIteration[];
  /** What the journal does not hold of this run. */
  readonly missing: readonly string[];
}
