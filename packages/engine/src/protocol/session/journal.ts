/**
 * The journal: one JSON object per line, a superset of the common transcript format. A body says what
 * happened; the session room adds the envelope (`v`, `seq`, `epoch`, `sum`, …) and reads it back.
 */

import type { AssistantMessage, AttachmentMessage, SystemMessage, UserMessage } from '../model/messages.ts';
import type { QuerySource } from '../model/model.ts';
import type { EditSource, ViewEdit } from '../model/view.ts';
import type { EffortLevel, StopReason, Usage } from '../model/wire.ts';
import type { AgentRunRecord } from '../tools/agent-runs.ts';
import type { JudgeVerdict } from '../tools/auto-mode.ts';
import type { PermissionDenial, PermissionUpdate } from '../tools/permission.ts';
import type { TaskRecord } from '../tools/task.ts';
import type { EffectClass } from '../tools/tool.ts';
import type { DecisionRecord } from './decision-record.ts';
import type { FileChange } from './file-history.ts';
import type { ParkedRun, StateWhenParked } from './parking.ts';
import type { PolicyInForce } from './policy-in-force.ts';
import type { SpentTotals } from './spending.ts';
import type { Told } from './told.ts';
import type { VerifyConditions } from './verification.ts';

export const JOURNAL_VERSION = 1;

/**
 * Ids are data: `submission/iteration/attempt/kind/(tool_use_id or ordinal)`. Resume looks records up by id,
 * never by position.
 */
interface Identified {
  readonly id: string;
  /** The submission this belongs to. */
  readonly submission: string;
}

/** For message records without a `parentUuid`, the journal writer fills in the message recorded before. */
export type JournalBody =
  | (Identified & {
      readonly type: 'submission';
      readonly carriesOn?: boolean;
      readonly model: string;
      /** As the model was asked for, where that is not its id. */
      readonly modelName?: string;
      /** As it was set or configured. */
      readonly effort?: EffortLevel;
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
  /** End of a response. `broken`: the stream ended without one. */
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
       * The last block of a response, recorded again under its uuid with the stop reason and usage of the
       * response. It replaces the first record; readers that sum usage take the last record per message and
       * request id.
       */
      readonly settled?: true;
    })
  | (AttachmentMessage & { readonly parentUuid?: string | null; readonly submission: string })
  | (SystemMessage & { readonly parentUuid?: string | null; readonly submission: string })
  /** These messages were retracted (L4.5); they stay in the journal. */
  | (Identified & { readonly type: 'retract'; readonly uuids: readonly string[]; readonly reason: string })
  /** Recorded before the tool runs. */
  | (Identified & {
      readonly type: 'intent';
      readonly toolUseId: string;
      readonly toolName: string;
      readonly effectClass: EffectClass;
      /** The input that runs, when a hook or the host changed the model's. */
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
  /** Permissions that a command or skill grants for the rest of its submission. */
  | (Identified & { readonly type: 'lent'; readonly rules: readonly string[] })
  /** Rules, folders and modes that the host gave for the session; only where runs may park. */
  | (Identified & { readonly type: 'session-permissions'; readonly updates: readonly PermissionUpdate[] })
  /**
   * The policy that decides from here on, written before the first call that it decides about. `policy` names
   * it by its content. Each process begins with all parts; later records hold those that changed, and none
   * where the policy was in force before.
   */
  | (Identified & Partial<PolicyInForce> & { readonly type: 'policy'; readonly policy: string })
  /** A denied call of an agent, reported in the result of the submission that started the agent. */
  | (Identified & { readonly type: 'denied'; readonly denial: PermissionDenial })
  | (Identified & { readonly type: 'answer'; readonly askId: string; readonly answer: unknown })
  /** What the judge of mode `auto` said of a call: written before the call may run. */
  | (Identified & JudgeRecord & { readonly type: 'judge' })
  /** The run has ended, and its submission waits for answers or a time: there is no result yet. */
  | (Identified & ParkedRun & StateWhenParked & { readonly type: 'parked' })
  /** A change of the view: replacement, snip, collapse or compaction boundary. */
  | (Identified & { readonly type: EditSource; readonly edits: readonly ViewEdit[]; readonly why: string })
  | (Identified & { readonly type: 'cost' } & SpentTotals)
  /** what the iteration learned from outside and no other record holds. */
  | (Identified & { readonly type: 'decision'; readonly record: DecisionRecord; readonly told?: Told })
  /** System prompt, contexts and tools as sent; written when they change. */
  | (Identified & {
      readonly type: 'context-snapshot';
      readonly system: readonly string[];
      readonly userContext: readonly string[];
      readonly toolNames: readonly string[];
      readonly hash: string;
      /** Hashes of what was read from outside, and of the rest. Absent: of an earlier version. */
      readonly parts?: { readonly frame: string; readonly texts: Readonly<Record<string, string>> };
      /** The working directory that `parts` was made in, where the session was moved since. */
      readonly movedFrom?: string;
    })
  | (Identified & {
      readonly type: 'queue';
      readonly operation: 'enqueue' | 'dequeue';
      readonly item: unknown;
    })
  | (Identified & { readonly type: 'file-change' } & FileChange)
  | (Identified & { readonly type: 'task' } & TaskRecord)
  /** A run of an agent: who the agent is, before its first request, and how the run ended. */
  | (Identified & { readonly type: 'agent' } & AgentRunRecord)
  /** Of an earlier version of this format; replaced by `custom-title`. */
  | (Identified & { readonly type: 'title'; readonly title: string })
  /** The session's name, set by the user or host, in the form that other programs write too. */
  | (Identified & { readonly type: 'custom-title'; readonly customTitle: string })
  /** The agent that the main thread is from here on, in the form that other programs write too. */
  | (Identified & { readonly type: 'agent-setting'; readonly agentSetting: string })
  /** The last prompt and the last message at that time: programs that list sessions use it as the name. */
  | (Identified & { readonly type: 'last-prompt'; readonly lastPrompt: string; readonly leafUuid: string })
  /**
   * The session was resumed at an earlier message. What lies between that message and this record is no
   * longer part of the conversation, apart from its cost. `to`: uuid of the last message that counts;
   * `uuids`: those that do not.
   */
  | (Identified & { readonly type: 'rewind'; readonly to: string; readonly uuids: readonly string[] })
  /** The completion conditions of a submission, and what their files held when it began. */
  | (Identified & {
      readonly type: 'verify';
      readonly conditions: VerifyConditions;
      readonly baseline: Readonly<Record<string, string>>;
    })
  /** The goal of the conversation from here on; null: it has none. */
  | (Identified & { readonly type: 'goal'; readonly conditions: VerifyConditions | null })
  | (Identified & { readonly type: 'result'; readonly result: unknown });

export interface JudgeRecord extends JudgeVerdict {
  readonly toolUseId: string;
  /** Hash of the call: another one under its id is judged anew. */
  readonly call: string;
  readonly agentId?: string;
}

interface JournalEnvelope {
  readonly v: number;
  readonly seq: number;
  readonly epoch: number;
  readonly sessionId: string;
  readonly cwd: string;
  readonly timestamp: string;
  /** Its contents were replaced (`session/redact-records.ts`). */
  readonly redacted?: true;
}

/** A record of the journal with its envelope. */
export type JournalEntry = JournalBody & JournalEnvelope;

/** The journal, as the loop and the gate use it. */
export interface Recorder {
  /**
   * Resolves once the entries are written, in order with every other append; undefined if they are written
   * already. Rejects with code `fenced` when another process took the session over: the run then ends
   * silently.
   */
  append(entries: readonly JournalBody[]): Promise<void> | undefined;
  /**
   * For records that nothing waits for: written in front of the next append, or at the end of this turn of
   * the event loop.
   */
  later(entries: readonly JournalBody[]): void;
  /** Makes everything appended so far durable against power loss, where the session asks for it. */
  commit(): Promise<void> | undefined;
}
