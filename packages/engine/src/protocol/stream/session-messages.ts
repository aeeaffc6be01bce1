/** Short messages about the session and its turns, as consumers receive them. */
import type { SessionKey } from '../session/session-store.ts';

export interface Stamped {
  readonly uuid: string;
  readonly session_id: string;
}

/**
 * Emitted when a user has finished what an MCP server had sent them to a web page for.
 *
 * @example
 * ```ts
 * const finished = (message: SDKMessage) =>
 *   message.type === 'system' && message.subtype === 'elicitation_complete' && message.elicitation_id;
 * ```
 */
export interface SDKElicitationComplete extends Stamped {
  readonly type: 'system';
  readonly subtype: 'elicitation_complete';
  readonly mcp_server_name: string;
  readonly elicitation_id: string;
}

/**
 * Emitted when the host's session store has refused entries of a transcript, which are sent again later.
 *
 * @example
 * ```ts
 * const problem = (message: SDKMessage) =>
 *   message.type === 'system' && message.subtype === 'mirror_error' ? message.error : undefined;
 * ```
 */
export interface SDKMirrorError extends Stamped {
  readonly type: 'system';
  readonly subtype: 'mirror_error';
  readonly error: string;
  readonly key: SessionKey;
}

/**
 * Emitted when the disk is full: later records are lost for a resume, unless there is space again before the
 * session ends.
 *
 * @example
 * ```ts
 * const problem = (message: SDKMessage) =>
 *   message.type === 'system' && message.subtype === 'session_writes_lost' ? message.error_code : undefined;
 * ```
 */
export interface SDKSessionWritesLost extends Stamped {
  readonly type: 'system';
  readonly subtype: 'session_writes_lost';
  readonly error_code: 'ENOSPC' | 'EDQUOT';
  readonly lost: readonly ['transcript'];
  readonly transcript_session_ids: readonly string[];
}

/**
 * The run has ended and its submission has not: it waits, outside of any process, for answers or for a time.
 * Emitted last, in place of a result, with the option `parkAfterMs`; `query()` with `resume` goes on.
 *
 * @example
 * ```ts
 * const waitsFor = (message: SDKMessage) =>
 *   message.type === 'system' && message.subtype === 'session_parked' ? message.ask_ids : undefined;
 * ```
 */
export interface SDKSessionParked extends Stamped {
  readonly type: 'system';
  readonly subtype: 'session_parked';
  /** `ask`: at least one question is open. `time`: nothing is waited for but `wake_at`. */
  readonly on: 'ask' | 'time';
  /** The open questions, by the ids that `canUseTool` and `onElicitation` received. */
  readonly ask_ids: readonly string[];
  /** When the first of the waits for a time is over, in ms since 1970. Absent: there is none. */
  readonly wake_at?: number;
  /** For people: why it waits for a time, where neither a tool nor the provider asked for that. */
  readonly why?: string;
}

/** Who receives `session_state_changed`: every consumer, or only the client of another process. */
export type SessionStateAudience = 'everyone' | 'host';

export type SessionActivity = 'idle' | 'running' | 'requires_action';

/**
 * State of the session: waiting for a prompt, working, or waiting for an answer of the host. Emitted at each
 * change.
 *
 * @example
 * ```ts
 * const stateIn = (message: SDKMessage) =>
 *   message.type === 'system' && message.subtype === 'session_state_changed' ? message.state : undefined;
 * ```
 */
export interface SDKSessionStateChanged extends Stamped {
  readonly type: 'system';
  readonly subtype: 'session_state_changed';
  readonly state: SessionActivity;
  /** For the client of another process, which does not forward it. */
  readonly sdk_host_only?: true;
}

/**
 * The session's title. Emitted before the first `init` of a session that its host named, and on each
 * renaming.
 *
 * @example
 * ```ts
 * const titleIn = (message: SDKMessage) =>
 *   message.type === 'system' && message.subtype === 'session_title_changed' ? message.title : undefined;
 * ```
 */
export interface SDKSessionTitleChanged extends Stamped {
  readonly type: 'system';
  readonly subtype: 'session_title_changed';
  readonly title: string;
}

/**
 * Estimated tokens of thinking. Emitted with each finished thinking block.
 *
 * @example
 * ```ts
 * const tokensIn = (message: SDKMessage) =>
 *   message.type === 'system' && message.subtype === 'thinking_tokens' ? message.estimated_tokens : 0;
 * ```
 */
export interface SDKThinkingTokens extends Stamped {
  readonly type: 'system';
  readonly subtype: 'thinking_tokens';
  /** In this turn so far, in tokens. */
  readonly estimated_tokens: number;
  readonly estimated_tokens_delta: number;
  /** uuid of the prompt, if its sender gave one. */
  readonly user_message_uuid?: string;
}

/**
 * A suggestion for the user's next prompt. Emitted after the result of a turn, if enabled.
 *
 * @example
 * ```ts
 * const suggestionIn = (message: SDKMessage) =>
 *   message.type === 'prompt_suggestion' ? message.suggestion : undefined;
 * ```
 */
export interface SDKPromptSuggestion extends Stamped {
  readonly type: 'prompt_suggestion';
  readonly suggestion: string;
}

/**
 * The model refused to answer, and no fallback model is left. Emitted before the result.
 *
 * @example
 * ```ts
 * const refusalIn = (message: SDKMessage) =>
 *   message.type === 'system' && message.subtype === 'model_refusal_no_fallback' ? message.content : '';
 * ```
 */
export interface SDKModelRefusal extends Stamped {
  readonly type: 'system';
  readonly subtype: 'model_refusal_no_fallback';
  readonly original_model: string;
  readonly request_id: string | null;
  /** What the API says about the refusal (`cyber`, `bio`, …); null if it says nothing. */
  readonly api_refusal_category: string | null;
  readonly api_refusal_explanation: string | null;
  /** uuid of the prompt; null if its sender gave none. */
  readonly refused_user_message_uuid: string | null;
  readonly content: string;
}

/**
 * The current list of commands. Emitted when it changed; replaces the previous list.
 *
 * @example
 * ```ts
 * const commandsIn = (message: SDKMessage) =>
 *   message.type === 'system' && message.subtype === 'commands_changed' ? message.commands : undefined;
 * ```
 */
export interface SDKCommandsChanged extends Stamped {
  readonly type: 'system';
  readonly subtype: 'commands_changed';
  readonly commands: readonly SlashCommandInfo[];
}

/** A slash command, as hosts list it. */
export interface SlashCommandInfo {
  /** Without the slash. */
  readonly name: string;
  readonly description: string;
  /** What to write behind the name, such as `[file]`; '' if it takes nothing. */
  readonly argumentHint: string;
  /** Other names, without the slash. */
  readonly aliases?: readonly string[];
  /** Present for built-in commands. */
  readonly builtin?: true;
  /** Present for those of a project that is not trusted, which take the place of no other command. */
  readonly untrusted?: true;
}

/**
 * This conversation has ended; the following messages belong to another session. Emitted after `/clear`.
 *
 * @example
 * ```ts
 * const nextSession = (message: SDKMessage) =>
 *   message.type === 'conversation_reset' ? message.new_conversation_id : undefined;
 * ```
 */
export interface SDKConversationReset extends Stamped {
  readonly type: 'conversation_reset';
  /** Id of the session that follows. */
  readonly new_conversation_id: string;
  readonly trigger: 'clear';
  /** uuid of the prompt that caused it, if its sender gave one. */
  readonly user_message_uuid?: string;
  readonly timestamp: string;
}

/**
 * Progress of a running tool. Emitted when the tool reports it, and as a heartbeat while it is silent.
 *
 * @example
 * ```ts
 * const line = ({ tool_name, elapsed_time_seconds }: SDKToolProgressMessage) =>
 *   `${tool_name}, ${elapsed_time_seconds} s`;
 * ```
 */
export interface SDKToolProgressMessage extends Stamped {
  readonly type: 'tool_progress';
  readonly tool_use_id: string;
  readonly tool_name: string;
  /** The Agent call that the tool belongs to; null for the main agent. */
  readonly parent_tool_use_id: string | null;
  /** Since the tool started. */
  readonly elapsed_time_seconds: number;
  /** The background task that the call became. */
  readonly task_id?: string;
  /** No news, only elapsed time. */
  readonly heartbeat?: boolean;
  readonly subagent_type?: string;
  /** A model call of a subagent failed and is retried. */
  readonly subagent_retry?: {
    readonly agent_id: string;
    readonly attempt: number;
    readonly max_retries: number;
    readonly retry_delay_ms: number;
    readonly error_status: number | null;
    readonly error_category: string;
  };
  /** The tool's own report, such as the last lines of a command. */
  readonly data?: unknown;
}

/**
 * A short summary of finished tool calls. Emitted in a later turn of the loop, if enabled.
 *
 * @example
 * ```ts
 * const line = ({ summary, preceding_tool_use_ids }: SDKToolUseSummaryMessage) =>
 *   `${summary} (${preceding_tool_use_ids.length} calls)`;
 * ```
 */
export interface SDKToolUseSummaryMessage extends Stamped {
  readonly type: 'tool_use_summary';
  readonly summary: string;
  /** The calls that it summarises. */
  readonly preceding_tool_use_ids: readonly string[];
}

/** `completed`: the turn has ended; `cancelled`: it was interrupted, or withdrawn before it began. */
export type PromptState = 'queued' | 'started' | 'completed' | 'cancelled';

/**
 * State of a prompt. Emitted at each change, for prompts whose sender gave a uuid.
 *
 * @example
 * ```ts
 * const isOver = ({ state }: SDKCommandLifecycle) => state === 'completed' || state === 'cancelled';
 * ```
 */
export interface SDKCommandLifecycle extends Stamped {
  readonly type: 'command_lifecycle';
  /** uuid that the sender gave the prompt. */
  readonly command_uuid: string;
  readonly state: PromptState;
}
