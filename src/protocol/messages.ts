/**
 * The messages of the inner loop: what `queryLoop` yields, what the view and the journal hold.
 * The SDK's shapes (`sdk-messages.ts`) are a projection of these, made in `engine/output/to-sdk-message.ts`.
 */
import type { AssistantErrorKind } from './failure.ts';
import type { DecisionReasonType, PermissionDecision, PermissionMode } from './permission.ts';
import type { AssistantBlock, StopReason, StreamEvent, Usage, UserBlock } from './wire.ts';

interface Common {
  readonly uuid: string;
  /** ISO 8601, from the injected clock. */
  readonly timestamp: string;
}

/** One finished content block of a model response; blocks of one response share `message.id`. */
export interface AssistantMessage extends Common {
  readonly type: 'assistant';
  readonly message: {
    readonly id: string;
    readonly type: 'message';
    readonly role: 'assistant';
    readonly model: string;
    readonly content: readonly AssistantBlock[];
    readonly stop_reason: StopReason | null;
    readonly stop_sequence: string | null;
    readonly usage: Usage;
  };
  readonly requestId?: string;
  /** Of a block of thinking. */
  readonly thought?: ThoughtFacts;
  /** Set when the engine, not the model, wrote this: never sent to the API. */
  readonly synthetic?: {
    readonly error: AssistantErrorKind;
    readonly status?: number;
    readonly errorType?: string;
  };
  /** The response was cut off by an abort after this block. */
  readonly aborted?: true;
}

export interface ThoughtFacts {
  /** From the block's first event to its last. */
  readonly durationMs: number;
  /** The form of thinking that the request asked for; absent: it named none. */
  readonly display?: string;
}

export interface UserMessage extends Common {
  readonly type: 'user';
  readonly message: { readonly role: 'user'; readonly content: string | readonly UserBlock[] };
  /** Written by the engine (nudge, resume prompt, hook feedback, compact summary). */
  readonly isSynthetic?: boolean;
  /** What a synthetic message is for; decides nothing, tells readers. */
  readonly kind?:
    | 'prompt'
    | 'tool_result'
    | 'nudge'
    | 'structured_nudge'
    | 'resume'
    | 'hook_feedback'
    | 'interruption'
    | 'summary'
    | 'collapse'
    | 'command'
    | 'skill';
  /** The tool's structured output, for consumers; the model sees `message.content`. */
  readonly toolUseResult?: unknown;
  /** The assistant message whose call this answers. */
  readonly sourceAssistantUuid?: string;
  /** A prompt's own uuid and origin, when its sender gave them. */
  readonly origin?: { readonly kind: string; readonly [key: string]: unknown };
  /** Tool results only: who decided on the call, and which kind of refusal it met. */
  readonly decided?: {
    readonly permission?: PermissionDecision;
    readonly nonExecutionKind?: 'permission-rule' | 'user-rejected';
  };
  /** Tool results only: how the call ended without running, when it did not run. */
  readonly nonExecution?: 'denied' | 'invalid' | 'aborted' | 'unknown_outcome' | 'cut' | 'failed_validation';
}

/** A memory file that was chosen because it bears on a prompt. */
export interface RecalledMemory {
  /** Absolute. */
  readonly path: string;
  readonly scope: 'personal' | 'team';
}

export type Attachment =
  | { readonly type: 'max_turns_reached'; readonly maxTurns: number; readonly turnCount: number }
  | { readonly type: 'hook_stopped_continuation'; readonly message: string; readonly hookName?: string }
  | { readonly type: 'hook_context'; readonly event: string; readonly content: readonly string[] }
  | {
      readonly type: 'queued_command';
      readonly prompt: string | readonly UserBlock[];
      readonly sourceUuid?: string;
      readonly origin?: { readonly kind: string; readonly [key: string]: unknown };
    }
  | { readonly type: 'edited_file'; readonly path: string; readonly snippet: string }
  | { readonly type: 'relevant_memories'; readonly memories: readonly RecalledMemory[] }
  | { readonly type: 'todo_reminder'; readonly todos: readonly TodoItem[] }
  | { readonly type: 'structured_output'; readonly value: unknown }
  | { readonly type: string; readonly [key: string]: unknown };

/** What became of a prompt that a hook kept back. */
export interface PromptOutcome {
  /** `stopped_by_hook`: by `continue: false`. */
  readonly kind: 'blocked_by_hook' | 'stopped_by_hook';
  /** Whether the prompt is part of the conversation. */
  readonly prompt_kept: boolean;
  readonly reason: string;
}

export interface TodoItem {
  readonly content: string;
  readonly status: 'pending' | 'in_progress' | 'completed';
  readonly activeForm: string;
}

/** What the model should know besides tool results. `rendered` is what the API sees; empty means nothing. */
export interface AttachmentMessage extends Common {
  readonly type: 'attachment';
  readonly attachment: Attachment;
  readonly rendered: readonly UserBlock[];
}

/** A message that is never sent to the API. `subtype` and its fields are those of the SDK stream. */
export type SystemMessage = Common & { readonly type: 'system' } & SystemBody;

export type SystemBody =
  | {
      readonly subtype: 'api_retry';
      readonly attempt: number;
      readonly max_retries: number;
      readonly retry_delay_ms: number;
      readonly error_status: number | null;
      readonly error: AssistantErrorKind;
      /** What failed, in a sentence; absent in records of earlier versions. */
      readonly error_message?: string;
    }
  | {
      readonly subtype: 'model_fallback';
      readonly trigger: 'overloaded';
      readonly original_model: string;
      readonly fallback_model: string;
      readonly content: string;
    }
  | {
      readonly subtype: 'informational';
      readonly content: string;
      readonly level: 'info' | 'notice' | 'suggestion' | 'warning';
      readonly prevent_continuation?: boolean;
      /** A hook kept this prompt back. */
      readonly prompt_submit_outcome?: PromptOutcome;
      /** A callback of the host failed, or answered with what cannot be read. */
      readonly tag?: 'hook_callback_failed';
      /** uuids of messages that were taken back, when nothing takes their place (L4.5). */
      readonly retracted_message_uuids?: readonly string[];
    }
  /** Memory files that bear on the prompt were put before the model, as they are. */
  | {
      readonly subtype: 'memory_recall';
      readonly mode: 'select';
      readonly memories: readonly RecalledMemory[];
    }
  | {
      readonly subtype: 'status';
      readonly status: 'compacting' | 'requesting' | null;
      /** Of the prompts that are being answered, where their senders gave them uuids; with `requesting`. */
      readonly user_message_uuids?: readonly string[];
      readonly permissionMode?: PermissionMode;
      readonly compact_result?: 'success' | 'failed';
      readonly compact_error?: string;
    }
  | {
      readonly subtype: 'compact_boundary';
      readonly compact_metadata: CompactMetadata;
    }
  | {
      readonly subtype: 'snip_boundary';
      readonly removed_uuids: readonly string[];
      readonly tokens_freed: number;
    }
  | {
      readonly subtype: 'microcompact_boundary';
      readonly tokens_freed: number;
      readonly tool_use_ids: readonly string[];
    }
  | {
      readonly subtype: 'permission_denied';
      readonly tool_name: string;
      readonly tool_use_id: string;
      /** The subagent whose call it was. */
      readonly agent_id?: string;
      /** What denied the call; where nobody could be asked, what wanted it confirmed. */
      readonly decision_reason_type: DecisionReasonType;
      /** Why it was to be confirmed, or what the hook said that denied the request. */
      readonly decision_reason?: string;
      readonly message: string;
    }
  | ({ readonly subtype: 'hook_started' } & HookRunName)
  | ({ readonly subtype: 'hook_progress' } & HookRunName & HookRunOutput)
  | ({
      readonly subtype: 'hook_response';
      /** Absent when no process ran, or none ended by itself. */
      readonly exit_code?: number;
      readonly outcome: 'success' | 'error' | 'cancelled';
    } & HookRunName &
      HookRunOutput)
  | {
      readonly subtype: 'notification';
      readonly key: string;
      readonly text: string;
      readonly priority: 'low' | 'medium' | 'high' | 'immediate';
    };

interface HookRunName {
  readonly hook_id: string;
  /** `SessionStart:startup`: the event, and what its matchers are held against. */
  readonly hook_name: string;
  readonly hook_event: string;
}

interface HookRunOutput {
  readonly stdout: string;
  readonly stderr: string;
  /** Both. */
  readonly output: string;
}

export interface CompactMetadata {
  readonly trigger: 'manual' | 'auto';
  readonly pre_tokens: number;
  readonly post_tokens?: number;
  readonly duration_ms?: number;
  /** The kept tail, by uuid, in order. */
  readonly preserved_messages?: { readonly anchor_uuid: string; readonly uuids: readonly string[] };
}

export interface ProgressMessage extends Common {
  readonly type: 'progress';
  readonly toolUseId: string;
  readonly toolName: string;
  readonly data: { readonly type: string; readonly taken?: () => void; readonly [key: string]: unknown };
}

/** Raw stream events that arrived together, passed through in order. Not recorded. */
export interface StreamEventsMessage {
  readonly type: 'stream_events';
  readonly events: readonly StreamEvent[];
  /** ms since the request went out; on `message_start` only. */
  readonly ttftMs?: number;
  /** The form of thinking that the request asked for; absent: it named none. */
  readonly thinkingDisplay?: string;
  /** A compaction or helper request's events are marked and never shown. */
  readonly model: string;
}

export interface StreamRequestStart {
  readonly type: 'stream_request_start';
  readonly iteration: number;
  /** Grows with each follow-up on tool results; repeats and recoveries do not count. */
  readonly turnCount: number;
}

/** Takes back what was yielded (L4.5). */
export interface TombstoneMessage extends Common {
  readonly type: 'tombstone';
  readonly uuids: readonly string[];
  readonly reason: 'superseded' | 'fallback' | 'escalated' | 'unusable';
}

export interface ToolUseSummaryMessage extends Common {
  readonly type: 'tool_use_summary';
  readonly summary: string;
  readonly toolUseIds: readonly string[];
}

export type LoopMessage =
  | AssistantMessage
  | UserMessage
  | AttachmentMessage
  | SystemMessage
  | ProgressMessage
  | StreamEventsMessage
  | StreamRequestStart
  | TombstoneMessage
  | ToolUseSummaryMessage;

/** Messages that the loop emits together, such as those of one read of the stream. */
export type LoopBatch = readonly LoopMessage[];

/** What the next request is made of. Frozen once it is in a view: its wire bytes are cached by identity. */
export type ViewMessage = AssistantMessage | UserMessage | AttachmentMessage;

/** A sentence for people. */
export type InformationalBody = Extract<SystemBody, { readonly subtype: 'informational' }>;
