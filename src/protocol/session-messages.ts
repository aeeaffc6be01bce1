/** Short messages about the session and its turns, as consumers receive them. */
import type { SessionKey } from './session-store.ts';

export interface Stamped {
  readonly uuid: string;
  readonly session_id: string;
}

/** What a person was sent to a web page for, by an MCP server, is done. */
export interface SDKElicitationComplete extends Stamped {
  readonly type: 'system';
  readonly subtype: 'elicitation_complete';
  readonly mcp_server_name: string;
  readonly elicitation_id: string;
}

/** Entries of the transcript were given up: the host's session store would not take them. */
export interface SDKMirrorError extends Stamped {
  readonly type: 'system';
  readonly subtype: 'mirror_error';
  readonly error: string;
  readonly key: SessionKey;
}

/** The disk is full: what was said since it was cannot be found by a later resume, unless there is room again before the end. */
export interface SDKSessionWritesLost extends Stamped {
  readonly type: 'system';
  readonly subtype: 'session_writes_lost';
  readonly error_code: 'ENOSPC' | 'EDQUOT';
  readonly lost: readonly ['transcript'];
  readonly transcript_session_ids: readonly string[];
}

/** Who gets `session_state_changed`: everyone, or the client of another process alone. */
export type SessionStateAudience = 'everyone' | 'host';

export type SessionState = 'idle' | 'running' | 'requires_action';

/** Whether the session waits for a prompt, works, or waits for an answer of the host: emitted at each change. */
export interface SDKSessionStateChanged extends Stamped {
  readonly type: 'system';
  readonly subtype: 'session_state_changed';
  readonly state: SessionState;
  /** For the client of another process, which does not pass it on. */
  readonly sdk_host_only?: true;
}

/** The session's title: before the first `init` of a session that its host named, and whenever it is renamed. */
export interface SDKSessionTitleChanged extends Stamped {
  readonly type: 'system';
  readonly subtype: 'session_title_changed';
  readonly title: string;
}

/** How much the model has thought, estimated from what it showed: with each finished block of thinking. */
export interface SDKThinkingTokens extends Stamped {
  readonly type: 'system';
  readonly subtype: 'thinking_tokens';
  /** In this turn so far. */
  readonly estimated_tokens: number;
  readonly estimated_tokens_delta: number;
  /** Of the prompt, when its sender gave one. */
  readonly user_message_uuid?: string;
}

/** What the person will likely ask next: after a turn's result, when it was asked for. */
export interface SDKPromptSuggestion extends Stamped {
  readonly type: 'prompt_suggestion';
  readonly suggestion: string;
}

/** The model would not answer: said before the result. No other model is asked in its place. */
export interface SDKModelRefusal extends Stamped {
  readonly type: 'system';
  readonly subtype: 'model_refusal_no_fallback';
  readonly original_model: string;
  readonly request_id: string | null;
  /** The uuid of the prompt; null when its sender gave none. */
  readonly refused_user_message_uuid: string | null;
  readonly content: string;
}
