/**
 * Messages of the loop, as the view and the journal hold them. `engine/output/to-sdk-message.ts` projects
 * them to the shapes of the SDK (`sdk-messages.ts`).
 */

import type { JsonObject } from '../json.ts';
import type { McpOrigin } from '../tools/mcp.ts';
import type { DecisionReasonType, PermissionDecision, PermissionMode } from '../tools/permission.ts';
import type { Attachment, RecalledMemory } from './attachment.ts';
import type { AssistantErrorKind } from './failure.ts';
import type { FallbackTrigger, RefusedAnswer } from './fallback.ts';
import type { AssistantBlock, EffortLevel, StopReason, StreamEvent, Usage, UserBlock } from './wire.ts';

interface Common {
  readonly uuid: string;
  /** ISO 8601. */
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
  /** The API's id of the request. */
  readonly requestId?: string;
  /** With which effort it was asked for. Absent: the model's default. */
  readonly effort?: EffortLevel;
  /** How long the model thought, for thinking blocks. */
  readonly thought?: ThoughtFacts;
  /** Its thinking was signed behind messages that have changed since. Set in the view, not recorded. */
  readonly prefixChanged?: true;
  /** Set when the engine, not the model, wrote this: never sent to the API. */
  readonly synthetic?: {
    readonly error: AssistantErrorKind;
    readonly status?: number;
    readonly errorType?: string;
  };
  /** An abort ended the response after this block. */
  readonly aborted?: true;
  /** Of a call: fields that its tool derives for observers; never sent to the API. */
  readonly derivedInput?: JsonObject;
  /** Of a call: the tool's origin, if an MCP server offers it. */
  readonly mcp?: McpOrigin;
}

export interface ThoughtFacts {
  /** From the block's first event to its last. */
  readonly durationMs: number;
  /** Thinking display that the request asked for; absent if it named none. */
  readonly display?: string;
}

/** A user message in the view: a prompt, tool results, or a message of the engine (`kind`). */
export interface UserMessage extends Common {
  readonly type: 'user';
  readonly message: { readonly role: 'user'; readonly content: string | readonly UserBlock[] };
  /** Written by the engine (nudge, resume prompt, hook feedback, compact summary). */
  readonly isSynthetic?: boolean;
  /** Purpose of a synthetic message, for readers; nothing depends on it. */
  readonly kind?:
    | 'prompt'
    | 'tool_result'
    | 'nudge'
    | 'structured_nudge'
    | 'resume'
    | 'hook_feedback'
    | 'verify_feedback'
    | 'interruption'
    | 'summary'
    | 'collapse'
    | 'command'
    | 'skill';
  /** The tool's structured output, for consumers; the model sees `message.content`. */
  readonly toolUseResult?: unknown;
  /** uuid of the assistant message whose call this answers. */
  readonly sourceAssistantUuid?: string;
  /** Origin of a prompt, if its sender gave one. */
  readonly origin?: { readonly kind: string; readonly [key: string]: unknown };
  /** Tool results only: who decided about the call, and the kind of refusal. */
  readonly decided?: {
    readonly permission?: PermissionDecision;
    /** Why the call did not run; absent if it did. */
    readonly nonExecutionKind?: 'permission-rule' | 'user-rejected';
  };
  /** Tool results only: why the call did not run. */
  readonly nonExecution?: 'denied' | 'invalid' | 'aborted' | 'unknown_outcome' | 'cut' | 'failed_validation';
}

/** Outcome of a prompt that a hook blocked. */
interface PromptOutcome {
  /** `stopped_by_hook`: by `continue: false`. */
  readonly kind: 'blocked_by_hook' | 'stopped_by_hook';
  readonly prompt_kept: boolean;
  readonly reason: string;
}

/** Context for the model besides tool results. `rendered` is what the API receives; empty means nothing. */
export interface AttachmentMessage extends Common {
  readonly type: 'attachment';
  readonly attachment: Attachment;
  /** What the model reads. */
  readonly rendered: readonly UserBlock[];
}

/** A message that is never sent to the API. `subtype` and its fields are those of the SDK stream. */
export type SystemMessage = Common & { readonly type: 'system' } & SystemBody;

export type SystemBody =
  /** A request failed and is retried after `retry_delay_ms`. Emitted before each wait. */
  | {
      readonly subtype: 'api_retry';
      readonly attempt: number;
      readonly max_retries: number;
      /** Nothing limits the retries (`persistentRetry`); `max_retries` is then that of this one. */
      readonly is_unlimited?: true;
      readonly retry_delay_ms: number;
      readonly error_status: number | null;
      readonly error: AssistantErrorKind;
      /** What failed, in one sentence; absent in records of earlier versions. */
      readonly error_message?: string;
    }
  /** The fallback model answers for the rest of the submission. Emitted when the model is switched. */
  | {
      readonly subtype: 'model_fallback';
      readonly trigger: Exclude<FallbackTrigger, 'refusal'>;
      readonly original_model: string;
      readonly fallback_model: string;
      readonly content: string;
    }
  /**
   * A model refused to answer, and the fallback model answers for the rest of the submission. Emitted when
   * the model is switched; the next prompt goes to the first one again.
   */
  | ({ readonly subtype: 'model_refusal_fallback' } & RefusedAnswer)
  /** A sentence for the user. */
  | {
      readonly subtype: 'informational';
      readonly content: string;
      readonly level: 'info' | 'notice' | 'suggestion' | 'warning';
      readonly prevent_continuation?: boolean;
      readonly prompt_submit_outcome?: PromptOutcome;
      readonly tag?: 'hook_callback_failed' | 'settings_not_in_effect';
      /** uuids of messages that were retracted without a replacement (L4.5). */
      readonly retracted_message_uuids?: readonly string[];
    }
  /** Memory files relevant for the prompt were added to the conversation. */
  | {
      readonly subtype: 'memory_recall';
      readonly mode: 'select';
      readonly memories: readonly RecalledMemory[];
    }
  /** What the engine is doing. Emitted at each change; `null`: nothing special. */
  | {
      readonly subtype: 'status';
      readonly status: 'compacting' | 'requesting' | null;
      /** With `requesting`: uuids of the prompts that are being answered, if their senders gave them. */
      readonly user_message_uuids?: readonly string[];
      readonly permissionMode?: PermissionMode;
      readonly compact_result?: 'success' | 'failed';
      readonly compact_error?: string;
    }
  /** The conversation before this message was replaced by a summary. Emitted after a compaction. */
  | {
      readonly subtype: 'compact_boundary';
      readonly compact_metadata: CompactMetadata;
    }
  /** Messages were removed from the view. Emitted after a snip. */
  | {
      readonly subtype: 'snip_boundary';
      readonly removed_uuids: readonly string[];
      readonly tokens_freed: number;
    }
  /** Old tool results were cleared. Emitted after the clearing. */
  | {
      readonly subtype: 'microcompact_boundary';
      readonly tokens_freed: number;
      readonly tool_use_ids: readonly string[];
    }
  /** A call was denied without the user or host. Emitted behind its result. */
  | {
      readonly subtype: 'permission_denied';
      readonly tool_name: string;
      readonly tool_use_id: string;
      /** The subagent that made the call; absent for the main agent. */
      readonly agent_id?: string;
      /** What denied the call; if there was no host to ask, what required confirmation. */
      readonly decision_reason_type: DecisionReasonType;
      /** Why confirmation was required, or the reason given by the hook that denied. */
      readonly decision_reason?: string;
      readonly message: string;
    }
  /** A hook that is a command, an address or an MCP tool was started. */
  | ({ readonly subtype: 'hook_started' } & HookRunName)
  /** New output of a running hook. Emitted each second in which there is some. */
  | ({ readonly subtype: 'hook_progress' } & HookRunName & HookRunOutput)
  /** A hook has ended. */
  | ({
      readonly subtype: 'hook_response';
      /** Absent when no process ran, or it did not exit by itself. */
      readonly exit_code?: number;
      readonly outcome: 'success' | 'error' | 'cancelled';
    } & HookRunName &
      HookRunOutput)
  /** A notification for the user. Emitted by the engine and by hooks. */
  | {
      readonly subtype: 'notification';
      readonly key: string;
      readonly text: string;
      readonly priority: 'low' | 'medium' | 'high' | 'immediate';
    };

interface HookRunName {
  readonly hook_id: string;
  /** The event and what its matchers are compared with: `SessionStart:startup`. */
  readonly hook_name: string;
  readonly hook_event: string;
}

interface HookRunOutput {
  readonly stdout: string;
  readonly stderr: string;
  /** stdout and stderr, concatenated. */
  readonly output: string;
}

export interface CompactMetadata {
  readonly trigger: 'manual' | 'auto';
  readonly pre_tokens: number;
  readonly post_tokens?: number;
  readonly duration_ms?: number;
  /** The messages that the compaction kept, by uuid, in order. */
  readonly preserved_messages?: { readonly anchor_uuid: string; readonly uuids: readonly string[] };
}

export interface ProgressMessage extends Common {
  readonly type: 'progress';
  readonly toolUseId: string;
  readonly toolName: string;
  readonly data: { readonly type: string; readonly taken?: () => void; readonly [key: string]: unknown };
}

/** Raw stream events of one read, in order. Not recorded. */
export interface StreamEventsMessage {
  readonly type: 'stream_events';
  readonly events: readonly StreamEvent[];
  /** ms from the request to the first event; with `message_start` only. */
  readonly ttftMs?: number;
  /** Thinking display that the request asked for; absent if it named none. */
  readonly thinkingDisplay?: string;
  /** The model that answers. */
  readonly model: string;
}

interface StreamRequestStart {
  readonly type: 'stream_request_start';
  readonly iteration: number;
  /** Grows with each follow-up on tool results; retries and recoveries do not count. */
  readonly turnCount: number;
}

/** Retracts messages that were yielded (L4.5). */
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

/** An entry of the view. Frozen once it is there: its wire bytes are cached by identity. */
export type ViewMessage = AssistantMessage | UserMessage | AttachmentMessage;

/** A sentence for the user. */
export type InformationalBody = Extract<SystemBody, { readonly subtype: 'informational' }>;
