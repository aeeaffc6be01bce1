/** Short messages about the session and its turns, as consumers receive them. */
import type { SessionKey } from '../session/session-store.ts';

export interface Stamped {
  readonly uuid: string;
  readonly session_id: string;
}

/** Emitted when a user has finished what an MCP server had sent them to a web page for. */
export interface SDKElicitationComplete extends Stamped {
  readonly type: 'system';
  readonly subtype: 'elicitation_complete';
  readonly mcp_server_name: string;
  readonly elicitation_id: string;
}

/** Emitted when the host's session store has refused entries of a transcript, which are sent again later. */
export interface SDKMirrorError extends Stamped {
  readonly type: 'system';
  readonly subtype: 'mirror_error';
  readonly error: string;
  readonly key: SessionKey;
}

/**
 * Emitted when the disk is full: later records are lost for a resume, unless there is space again before the
 * session ends.
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
}

/** Who receives `session_state_changed`: every consumer, or only the client of another process. */
export type SessionStateAudience = 'everyone' | 'host';

export type SessionState = 'idle' | 'running' | 'requires_action';

/**
 * State of the session: waiting for a prompt, working, or waiting for an answer of the host. Emitted at each
 * change.
 */
export interface SDKSessionStateChanged extends Stamped {
  readonly type: 'system';
  readonly subtype: 'session_state_changed';
  readonly state: SessionState;
  /** For the client of another process, which does not forward it. */
  readonly sdk_host_only?: true;
}

/**
 * The session's title. Emitted before the first `init` of a session that its host named, and on each
 * renaming.
 */
export interface SDKSessionTitleChanged extends Stamped {
  readonly type: 'system';
  readonly subtype: 'session_title_changed';
  readonly title: string;
}

/** Estimated tokens of thinking. Emitted with each finished thinking block. */
export interface SDKThinkingTokens extends Stamped {
  readonly type: 'system';
  readonly subtype: 'thinking_tokens';
  /** In this turn so far, in tokens. */
  readonly estimated_tokens: number;
  readonly estimated_tokens_delta: number;
  /** uuid of the prompt, if its sender gave one. */
  readonly user_message_uuid?: string;
}

/** A suggestion for the user's next prompt. Emitted after the result of a turn, if enabled. */
export interface SDKPromptSuggestion extends Stamped {
  readonly type: 'prompt_suggestion';
  readonly suggestion: string;
}

/** The model refused to answer. Emitted before the result; no fallback model is used. */
export interface SDKModelRefusal extends Stamped {
  readonly type: 'system';
  readonly subtype: 'model_refusal_no_fallback';
  readonly original_model: string;
  readonly request_id: string | null;
  /** uuid of the prompt; null if its sender gave none. */
  readonly refused_user_message_uuid: string | null;
  readonly content: string;
}
