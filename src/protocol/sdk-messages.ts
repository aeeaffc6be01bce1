/** What consumers of `query()`, `QueryEngine` and the stream-json CLI receive. Field names are the public ones of the field. */
import type { AssistantErrorKind } from './failure.ts';
import type { SystemBody } from './messages.ts';
import type { FastModeDisabledReason, FastModeState } from './model.ts';
import type { PermissionDecision, PermissionMode } from './permission.ts';
import type { SDKResultMessage } from './result-message.ts';
import type {
  SDKElicitationComplete,
  SDKMirrorError,
  SDKModelRefusal,
  SDKPromptSuggestion,
  SDKSessionStateChanged,
  SDKSessionTitleChanged,
  SDKSessionWritesLost,
  SDKThinkingTokens,
  Stamped,
} from './session-messages.ts';
import type { TaskMessageBody } from './task-messages.ts';
import type { AssistantBlock, StopReason, StreamEvent, Usage, UserBlock } from './wire.ts';

/** On messages of a subagent; `parent_tool_use_id` is then the Agent call that started it. */
export interface FromAgent {
  readonly agent_id?: string;
  readonly subagent_type?: string;
  readonly task_description?: string;
}

export interface SDKAssistantMessage extends Stamped, FromAgent {
  readonly type: 'assistant';
  /** For each call of a tool that people call by another name than its own: that of an MCP server, or one that is not there. */
  readonly tool_use_meta?: readonly {
    readonly id: string;
    readonly display_name: string;
    /** As the server calls itself; absent: there is no such tool. */
    readonly server_display_name?: string;
    /** As the server calls the tool; absent: there is no such tool. */
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
    /** These three on messages that the engine wrote. */
    readonly stop_details?: null;
    readonly container?: null;
    readonly diagnostics?: null;
  };
  readonly parent_tool_use_id: string | null;
  readonly error?: AssistantErrorKind;
  readonly is_api_error_message?: boolean;
  /** HTTP status and error type of the request that failed. */
  readonly api_error_status?: number;
  readonly api_error_type?: string;
  readonly request_id?: string;
  /** Of a block of thinking: from its first event to its last. */
  readonly thinking_duration_ms?: number;
  /** The form of thinking that was asked for (`display`); absent: none was named. */
  readonly thinking_display?: string;
  /** uuids of earlier messages that this one takes the place of. */
  readonly supersedes?: readonly string[];
  readonly aborted?: true;
  /** Of the prompt that the turn answers, when its sender gave one; on the first message of the answer. */
  readonly user_message_uuid?: string;
  readonly user_message_uuids?: readonly string[];
  readonly timestamp?: string;
}

/** Of a message that the engine wrote: no request was made, so what only an answer could say is null. */
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

export interface SDKUserMessage extends Partial<Stamped>, FromAgent {
  readonly type: 'user';
  readonly message: { readonly role: 'user'; readonly content: string | readonly UserBlock[] };
  readonly parent_tool_use_id: string | null;
  readonly isSynthetic?: boolean;
  /** The tool's structured result; of a call that failed, the sentence that says so. */
  readonly tool_use_result?: unknown;
  /** For each result: who decided on the call, and why it did not run when it did not. */
  readonly tool_result_meta?: readonly {
    readonly id: string;
    readonly non_execution_kind?: 'permission-rule' | 'user-rejected';
    readonly permission_decision?: PermissionDecision;
  }[];
  readonly priority?: 'now' | 'next' | 'later';
  readonly origin?: { readonly kind: string; readonly [key: string]: unknown };
  /** false: add to the conversation without asking the model. */
  readonly shouldQuery?: boolean;
  /** true: it goes to the model as it is, also when it looks like a command or names files. */
  readonly client_composed?: true;
  readonly timestamp?: string;
  /** uuids of earlier messages that were taken back; the next assistant message names them in `supersedes`. */
  readonly retracted_message_uuids?: readonly string[];
}

export interface SDKUserMessageReplay extends SDKUserMessage {
  readonly uuid: string;
  readonly session_id: string;
  readonly isReplay: true;
}

export interface SDKPartialAssistantMessage extends Stamped {
  readonly type: 'stream_event';
  readonly event: StreamEvent;
  readonly parent_tool_use_id: string | null;
  /** The API's id of the response that the event belongs to. */
  readonly api_message_id?: string;
  readonly ttft_ms?: number;
  /** The form of thinking that was asked for, on the start of an answer and on events of thinking; absent: none was named. */
  readonly thinking_display?: string;
  /** Of the prompt that the turn answers, when its sender gave one; on the first event of the answer. */
  readonly user_message_uuid?: string;
  readonly user_message_uuids?: readonly string[];
}

export interface SDKSystemInit extends Stamped {
  readonly type: 'system';
  readonly subtype: 'init';
  readonly apiKeySource: string;
  readonly claude_code_version: string;
  readonly turnwright_version: string;
  /** Where relative paths of tools count from now. */
  readonly cwd: string;
  /** The session's own folder. */
  readonly original_cwd: string;
  readonly tools: readonly string[];
  readonly mcp_servers: readonly {
    readonly name: string;
    readonly status: string;
    /** `dynamic`: the host named it; `sdk`: it lives with the host; else the kind of file it stands in. */
    readonly source?: string;
    /** Why it `failed`, one sentence. */
    readonly error?: string;
  }[];
  readonly model: string;
  readonly permissionMode: PermissionMode;
  readonly slash_commands: readonly string[];
  /** Those that need a terminal: none. */
  readonly terminal_slash_commands: readonly string[];
  readonly output_style: string;
  readonly agents: readonly string[];
  readonly skills: readonly string[];
  readonly plugins: readonly {
    readonly name: string;
    readonly path: string;
    readonly source: string;
    readonly version?: string;
  }[];
  /** What did not load: a plugin, or a part of one. */
  readonly plugin_errors?: readonly {
    readonly plugin: string;
    readonly type: string;
    readonly message: string;
    readonly path?: string;
  }[];
  readonly additional_directories: readonly string[];
  /** Where the agent's own notes are kept. */
  readonly memory_paths?: { readonly auto: string };
  /** The model is asked at Anthropic itself. */
  readonly served_by_anthropic: boolean;
  readonly analytics_disabled: true;
  readonly product_feedback_disabled: true;
  readonly view_mode: 'default';
  /** Of the prompts that are about to be answered, where their sender gave them one. */
  readonly user_message_uuids?: readonly string[];
  /** Betas that the caller asked for; absent: none. */
  readonly betas?: readonly string[];
  /** Whether requests go out fast, pause after a rate limit (`cooldown`), or not at all. */
  readonly fast_mode_state: FastModeState;
  readonly fast_mode_disabled_reason?: FastModeDisabledReason;
  /** Abilities of the engine that clients may rely on. */
  readonly capabilities: readonly string[];
}

/** The list of commands as it is now, in place of the one told before. */
export interface SDKCommandsChanged extends Stamped {
  readonly type: 'system';
  readonly subtype: 'commands_changed';
  readonly commands: readonly SlashCommandInfo[];
}

export interface SlashCommandInfo {
  /** Without the slash. */
  readonly name: string;
  readonly description: string;
  readonly argumentHint: string;
  readonly aliases?: readonly string[];
  /** Of the engine's own. */
  readonly builtin?: true;
}

/** This conversation is over; what follows belongs to another session. */
export interface SDKConversationReset extends Stamped {
  readonly type: 'conversation_reset';
  readonly new_conversation_id: string;
  readonly trigger: 'clear';
  /** Of the prompt that asked for it, when its sender gave one. */
  readonly user_message_uuid?: string;
  readonly timestamp: string;
}

/** About a task that outlives its tool call, whether or not a turn runs. */
export type SDKTaskMessage = Stamped & { readonly type: 'system' } & TaskMessageBody;

export type SDKSystemMessage =
  | SDKSystemInit
  | SDKCommandsChanged
  | SDKMirrorError
  | SDKSessionStateChanged
  | SDKSessionWritesLost
  | SDKSessionTitleChanged
  | SDKThinkingTokens
  | SDKModelRefusal
  | SDKElicitationComplete
  | SDKTaskMessage
  | (Stamped & { readonly type: 'system' } & SystemBody);

export interface SDKToolProgressMessage extends Stamped {
  readonly type: 'tool_progress';
  readonly tool_use_id: string;
  readonly tool_name: string;
  readonly parent_tool_use_id: string | null;
  readonly elapsed_time_seconds: number;
  readonly task_id?: string;
  /** Nothing new but the time. */
  readonly heartbeat?: boolean;
  readonly subagent_type?: string;
  /** A subagent's model call failed and is made again. */
  readonly subagent_retry?: {
    readonly agent_id: string;
    readonly attempt: number;
    readonly max_retries: number;
    readonly retry_delay_ms: number;
    readonly error_status: number | null;
    readonly error_category: string;
  };
  readonly data?: unknown;
}

export interface SDKToolUseSummaryMessage extends Stamped {
  readonly type: 'tool_use_summary';
  readonly summary: string;
  readonly preceding_tool_use_ids: readonly string[];
}

/** `completed`: its turn is over; `cancelled`: so is it, by an interrupt, or it was called off before it began. */
export type PromptState = 'queued' | 'started' | 'completed' | 'cancelled';

/** What became of a prompt that its sender gave a uuid. */
export interface SDKCommandLifecycle extends Stamped {
  readonly type: 'command_lifecycle';
  readonly command_uuid: string;
  readonly state: PromptState;
}

export type SDKMessage =
  | SDKCommandLifecycle
  | SDKAssistantMessage
  | SDKUserMessage
  | SDKUserMessageReplay
  | SDKPartialAssistantMessage
  | SDKResultMessage
  | SDKSystemMessage
  | SDKConversationReset
  | SDKToolProgressMessage
  | SDKToolUseSummaryMessage
  | SDKPromptSuggestion;
