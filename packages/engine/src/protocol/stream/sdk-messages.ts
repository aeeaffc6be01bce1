/**
 * What consumers of `query()`, `QueryEngine` and the stream-json CLI receive. Field names are the public ones
 * of the field.
 */
import type { AssistantErrorKind } from '../model/failure.ts';
import type { SystemBody } from '../model/messages.ts';
import type { AssistantBlock, StopReason, StreamEvent, Usage, UserBlock } from '../model/wire.ts';
import type { PermissionDecision } from '../tools/permission.ts';
import type { SDKSystemInit } from './init-message.ts';
import type { SDKResultMessage } from './result-message.ts';
import type {
  SDKCommandLifecycle,
  SDKCommandsChanged,
  SDKConversationReset,
  SDKElicitationComplete,
  SDKMirrorError,
  SDKModelRefusal,
  SDKPromptSuggestion,
  SDKSessionParked,
  SDKSessionStateChanged,
  SDKSessionTitleChanged,
  SDKSessionWritesLost,
  SDKThinkingTokens,
  SDKToolProgressMessage,
  SDKToolUseSummaryMessage,
  Stamped,
} from './session-messages.ts';
import type { TaskMessageBody } from './task-messages.ts';

/** On messages of a subagent. `parent_tool_use_id` is then the Agent call that started it. */
export interface FromAgent {
  /** Id of the subagent, the same for all of its messages. */
  readonly agent_id?: string;
  /** Name of the kind of agent, such as `general-purpose`. */
  readonly subagent_type?: string;
  /** The short description that the Agent call gave. */
  readonly task_description?: string;
}

/**
 * One finished content block of an assistant message. Emitted when the block ends; blocks of one response
 * share `message.id`. Also a message that the engine wrote, such as an error (`error` is then set).
 *
 * @example
 * ```ts
 * const textOf = ({ message }: SDKAssistantMessage) =>
 *   message.content.map((block) => (block.type === 'text' ? block.text : '')).join('');
 * ```
 */
export interface SDKAssistantMessage extends Stamped, FromAgent {
  readonly type: 'assistant';
  /** Display names, for calls of MCP tools and of tools that do not exist. */
  readonly tool_use_meta?: readonly {
    readonly id: string;
    readonly display_name: string;
    /** Name that the server reports; absent if the tool does not exist. */
    readonly server_display_name?: string;
    /** Name of the tool on the server; absent if the tool does not exist. */
    readonly tool_name?: string;
  }[];
  readonly message: {
    readonly id: string;
    readonly type: 'message';
    readonly role: 'assistant';
    readonly model: string;
    readonly content: readonly AssistantBlock[];
    readonly stop_reason: StopReason | null;
    readonly stop_sequence: string | null;
    readonly usage: Usage | SyntheticUsage;
    readonly context_management: null;
    /** This field and the next two are present on messages that the engine wrote. */
    readonly stop_details?: null;
    readonly container?: null;
    readonly diagnostics?: null;
  };
  /** The Agent call that the message belongs to; null for the main agent. */
  readonly parent_tool_use_id: string | null;
  /** Kind of the error that the text reports; absent on messages of the model. */
  readonly error?: AssistantErrorKind;
  /** true: the engine wrote the message about a failed request. */
  readonly is_api_error_message?: boolean;
  /** HTTP status and error type of the failed request. */
  readonly api_error_status?: number;
  readonly api_error_type?: string;
  /** The API's id of the request. */
  readonly request_id?: string;
  /** For a thinking block: ms from its first event to its last. */
  readonly thinking_duration_ms?: number;
  /** Thinking display that the request asked for; absent if it named none. */
  readonly thinking_display?: string;
  /** uuids of earlier messages that this one replaces. */
  readonly supersedes?: readonly string[];
  /** The block was cut off by an interrupt. */
  readonly aborted?: true;
  /** uuid of the prompt, if its sender gave one; on the first message of the answer. */
  readonly user_message_uuid?: string;
  /** uuids of all prompts that the answer takes up, if there is more than one. */
  readonly user_message_uuids?: readonly string[];
  /** ISO 8601, UTC. */
  readonly timestamp?: string;
}

/**
 * Usage of a message that the engine wrote. No request was made, so the fields that only a response has are
 * null.
 */
export interface SyntheticUsage
  extends Pick<
    Usage,
    | 'input_tokens'
    | 'output_tokens'
    | 'cache_creation_input_tokens'
    | 'cache_read_input_tokens'
    | 'cache_creation'
    | 'server_tool_use'
  > {
  readonly output_tokens_details: null;
  readonly service_tier: null;
  readonly inference_geo: null;
  readonly iterations: null;
  readonly speed: null;
  readonly fallback_credit: null;
}

/**
 * A user message: a prompt that is passed to `query()`, or, on the stream, tool results and synthetic
 * messages of the engine. Emitted when a tool has ended.
 *
 * @example
 * ```ts
 * const message: SDKUserMessage = {
 *   type: 'user',
 *   message: { role: 'user', content: 'Fix the failing test.' },
 *   parent_tool_use_id: null,
 * };
 * ```
 */
export interface SDKUserMessage extends Partial<Stamped>, FromAgent {
  readonly type: 'user';
  readonly message: { readonly role: 'user'; readonly content: string | readonly UserBlock[] };
  /** The Agent call that the message belongs to; null for the main agent and for prompts. */
  readonly parent_tool_use_id: string | null;
  /** true: the engine wrote the message, not a person. */
  readonly isSynthetic?: boolean;
  /** The tool's structured result; for a failed call, the error text. */
  readonly tool_use_result?: unknown;
  /** For each result: who decided about the call, and why it did not run if it did not. */
  readonly tool_result_meta?: readonly {
    readonly id: string;
    readonly non_execution_kind?: 'permission-rule' | 'user-rejected';
    readonly permission_decision?: PermissionDecision;
  }[];
  /**
   * Place in the queue of prompts: `now` interrupts the turn, `next` joins it behind tool results, `later`
   * waits for its end. Default `next`.
   */
  readonly priority?: 'now' | 'next' | 'later';
  /** Who sent the prompt, when that is not a person at the keyboard; passed through. */
  readonly origin?: { readonly kind: string; readonly [key: string]: unknown };
  /** false: append to the conversation without a model call. Default true. */
  readonly shouldQuery?: boolean;
  /** true: sent to the model unchanged, even if it looks like a command or mentions files. Default false. */
  readonly client_composed?: true;
  /** ISO 8601, UTC. */
  readonly timestamp?: string;
  /** uuids of earlier messages that were retracted; the next assistant message names them in `supersedes`. */
  readonly retracted_message_uuids?: readonly string[];
}

/**
 * A prompt, repeated on the stream once the engine has taken it. Emitted with `replayUserMessages`.
 *
 * @example
 * ```ts
 * const isTaken = (message: SDKMessage, sent: string) =>
 *   message.type === 'user' && 'isReplay' in message && message.uuid === sent;
 * ```
 */
export interface SDKUserMessageReplay extends SDKUserMessage {
  readonly uuid: string;
  readonly session_id: string;
  readonly isReplay: true;
}

/**
 * A raw event of the Messages API stream. Emitted with `includePartialMessages`, before the finished block.
 *
 * @example
 * ```ts
 * const written = ({ event }: SDKPartialAssistantMessage) =>
 *   event.type === 'content_block_delta' && event.delta.type === 'text_delta' ? event.delta.text : '';
 * ```
 */
export interface SDKPartialAssistantMessage extends Stamped {
  readonly type: 'stream_event';
  readonly event: StreamEvent;
  /** The Agent call that the event belongs to; null for the main agent. */
  readonly parent_tool_use_id: string | null;
  /** The API's id of the response. */
  readonly api_message_id?: string;
  /** ms from the request to the first event; on `message_start` only. */
  readonly ttft_ms?: number;
  /**
   * Thinking display that the request asked for, on the start of a response and on thinking events; absent if
   * it named none.
   */
  readonly thinking_display?: string;
  /** uuid of the prompt, if its sender gave one; on the first event of the answer. */
  readonly user_message_uuid?: string;
  /** uuids of all prompts that the answer takes up, if there is more than one. */
  readonly user_message_uuids?: readonly string[];
}

/**
 * About a task that outlives its tool call. Emitted at any time, also between turns.
 *
 * @example
 * ```ts
 * const line = (message: SDKTaskMessage) =>
 *   message.subtype === 'task_notification' ? `${message.status}: ${message.summary}` : undefined;
 * ```
 */
export type SDKTaskMessage = Stamped & { readonly type: 'system' } & TaskMessageBody;

/**
 * Messages with `type: 'system'`. They are never sent to the API.
 *
 * @example
 * ```ts
 * function line(message: SDKSystemMessage): string | undefined {
 *   if (message.subtype === 'init') return `${message.model} in ${message.cwd}`;
 *   if (message.subtype === 'compact_boundary') return `compacted: ${message.compact_metadata.trigger}`;
 *   return undefined;
 * }
 * ```
 */
export type SDKSystemMessage =
  | SDKSystemInit
  | SDKCommandsChanged
  | SDKMirrorError
  | SDKSessionParked
  | SDKSessionStateChanged
  | SDKSessionWritesLost
  | SDKSessionTitleChanged
  | SDKThinkingTokens
  | SDKModelRefusal
  | SDKElicitationComplete
  | SDKTaskMessage
  | (Stamped & { readonly type: 'system' } & SystemBody);

/**
 * Every message that `query()` yields. The kind is its `type`, and that of `system` messages its `subtype`.
 * The last one of a submission is an `SDKResultMessage`, whose `structured_output` is of type `Output`.
 *
 * @example
 * ```ts
 * function lineOf(message: SDKMessage): string {
 *   if (message.type === 'system' && message.subtype === 'init') return `with ${message.model}`;
 *   if (message.type === 'result') return message.terminal_reason ?? message.subtype;
 *   return message.type === 'assistant' ? `${message.message.content.length} blocks` : '';
 * }
 * ```
 */
export type SDKMessage<Output = unknown> =
  | SDKCommandLifecycle
  | SDKAssistantMessage
  | SDKUserMessage
  | SDKUserMessageReplay
  | SDKPartialAssistantMessage
  | SDKResultMessage<Output>
  | SDKSystemMessage
  | SDKConversationReset
  | SDKToolProgressMessage
  | SDKToolUseSummaryMessage
  | SDKPromptSuggestion;
