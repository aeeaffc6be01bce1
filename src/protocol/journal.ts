/**
 * The journal: one JSON object a line, a superset of the de-facto transcript format. A body says what happened;
 * the envelope (`v`, `seq`, `epoch`, `sum`, …) is added by the session room and read back with it.
 */
import type { DecisionRecord } from './decision-record.ts';
import type { FileChange } from './file-history.ts';
import type { AssistantMessage, AttachmentMessage, SystemMessage, UserMessage } from './messages.ts';
import type { QuerySource } from './model.ts';
import type { PermissionDenial } from './permission.ts';
import type { TaskRecord } from './task.ts';
import type { EffectClass } from './tool.ts';
import type { EditSource, ViewEdit } from './view.ts';
import type { StopReason, Usage } from './wire.ts';

export const JOURNAL_VERSION = 1;

/** Ids are data: `submission/iteration/attempt/kind/(tool_use_id or ordinal)`. Resume looks up by id, never by position. */
interface Identified {
  readonly id: string;
  /** The submission this belongs to. */
  readonly submission: string;
}

/** Of a message record, `parentUuid` is filled by the journal writer (the message recorded before) when absent. */
export type JournalBody =
  | (Identified & {
      readonly type: 'submission';
      readonly carriesOn?: boolean;
      readonly model: string;
      readonly permissionMode: string;
    })
  | (Identified & {
      readonly type: 'request';
      readonly iteration: number;
      readonly attempt: number;
      readonly model: string;
      readonly maxTokens: number;
      readonly querySource: QuerySource;
    })
  /** The response's end. `broken`: there was none. */
  | (Identified & {
      readonly type: 'response';
      readonly iteration: number;
      readonly messageId: string;
      readonly model?: string;
      readonly stopReason: StopReason | null;
      readonly usage: Usage;
      readonly costUsd: number;
      readonly broken?: boolean;
      readonly requestId?: string;
    })
  | (UserMessage & { readonly parentUuid?: string | null; readonly submission: string })
  | (AssistantMessage & {
      readonly parentUuid?: string | null;
      readonly submission: string;
      readonly iteration: number;
      /**
       * The last block of a response, once more under its uuid: now with the stop reason and the usage that the
       * response ended with. Takes the place of the first; who sums usage takes the last per message and request id.
       */
      readonly settled?: true;
    })
  | (AttachmentMessage & { readonly parentUuid?: string | null; readonly submission: string })
  | (SystemMessage & { readonly parentUuid?: string | null; readonly submission: string })
  /** These uuids were taken back (L4.5); both stay on record. */
  | (Identified & { readonly type: 'retract'; readonly uuids: readonly string[]; readonly reason: string })
  /** Recorded before the tool runs. */
  | (Identified & {
      readonly type: 'intent';
      readonly toolUseId: string;
      readonly toolName: string;
      readonly effectClass: EffectClass;
      /** The input that runs, when a hook or host changed the model's. */
      readonly updatedInput?: unknown;
    })
  /** A call whose outcome cannot be known. Its `is_error` result follows as a user record. */
  | (Identified & { readonly type: 'unknown'; readonly toolUseId: string })
  /** Queued prompts that joined a turn, by key. */
  | (Identified & { readonly type: 'inbox'; readonly consumed: readonly string[] })
  | (Identified & {
      readonly type: 'ask';
      readonly askId: string;
      readonly toolUseId: string;
      readonly question: unknown;
    })
  /** What a command or a skill allows for the rest of its submission. */
  | (Identified & { readonly type: 'lent'; readonly rules: readonly string[] })
  /** A call of an agent that was denied: the result of the submission that it works for names it. */
  | (Identified & { readonly type: 'denied'; readonly denial: PermissionDenial })
  | (Identified & { readonly type: 'answer'; readonly askId: string; readonly answer: unknown })
  /** A change of the view: replacement, snip, collapse or compaction boundary. */
  | (Identified & { readonly type: EditSource; readonly edits: readonly ViewEdit[]; readonly why: string })
  | (Identified & {
      readonly type: 'cost';
      readonly totalCostUsd: number;
      readonly modelUsage: Readonly<Record<string, unknown>>;
    })
  | (Identified & { readonly type: 'decision'; readonly record: DecisionRecord })
  /** System prompt, contexts and tools as sent; written when they change. */
  | (Identified & {
      readonly type: 'context-snapshot';
      readonly system: readonly string[];
      readonly userContext: readonly string[];
      readonly toolNames: readonly string[];
      readonly hash: string;
    })
  | (Identified & {
      readonly type: 'queue';
      readonly operation: 'enqueue' | 'dequeue';
      readonly item: unknown;
    })
  | (Identified & { readonly type: 'file-change' } & FileChange)
  | (Identified & { readonly type: 'task' } & TaskRecord)
  /** Of an early version of this format; `custom-title` took its place. */
  | (Identified & { readonly type: 'title'; readonly title: string })
  /** The name that a person or host gave the session, as other programs write it too. */
  | (Identified & { readonly type: 'custom-title'; readonly customTitle: string })
  /** What was asked last, and the last message then: programs that list sessions name one by it. */
  | (Identified & { readonly type: 'last-prompt'; readonly lastPrompt: string; readonly leafUuid: string })
  /**
   * The session was resumed at an earlier message: what stands between that one and this record is no longer part of
   * it, but for what it cost. `to`: uuid of the last message that counts; `uuids`: those that do not.
   */
  | (Identified & { readonly type: 'rewind'; readonly to: string; readonly uuids: readonly string[] })
  | (Identified & { readonly type: 'result'; readonly result: unknown });

export interface JournalEnvelope {
  readonly v: number;
  readonly seq: number;
  readonly epoch: number;
  readonly sessionId: string;
  readonly cwd: string;
  readonly timestamp: string;
}

export type JournalEntry = JournalBody & JournalEnvelope;

/** The loop's and the gate's way to the journal. */
export interface Recorder {
  /**
   * Resolves once the entries are written (in order with every other append); undefined: they are. Rejects with code
   * `fenced` when the session was taken over: the run then ends silently.
   */
  append(entries: readonly JournalBody[]): Promise<void> | undefined;
  /**
   * For records that nothing waits for: they are written in front of the next append, and at the latest when this turn
   * of the event loop is over.
   */
  later(entries: readonly JournalBody[]): void;
  /** Makes everything told so far durable against power loss, where the session asks for it. */
  commit(): Promise<void> | undefined;
}
