import type { JsonSchema } from '../json.ts';
import type { InformationalBody } from '../model/messages.ts';
import type { PermissionMode, PermissionUpdate } from './permission.ts';

/** Every hook event. `docs/hooks.md` says when each is emitted. */
export const HOOK_EVENTS = [
  'PreToolUse',
  'PostToolUse',
  'PostToolUseFailure',
  'PostToolBatch',
  'PermissionRequest',
  'PermissionDenied',
  'Notification',
  'UserPromptSubmit',
  'UserPromptExpansion',
  'SessionStart',
  'SessionEnd',
  'Stop',
  'StopFailure',
  'SubagentStart',
  'SubagentStop',
  'PreCompact',
  'PostCompact',
  'PreModelSwitch',
  'PostModelSwitch',
  'Setup',
  'TeammateIdle',
  'TaskCreated',
  'TaskCompleted',
  'Elicitation',
  'ElicitationResult',
  'ConfigChange',
  'WorktreeCreate',
  'WorktreeRemove',
  'InstructionsLoaded',
  'CwdChanged',
  'FileChanged',
  'DirectoryAdded',
  'MessageDisplay',
  'PreSkillShellCommand',
] as const;
/** Names of hook events. */
export type HookEvent = (typeof HOOK_EVENTS)[number];

/** Fields in the input of every hook event. */
export interface HookInputBase {
  readonly session_id: string;
  readonly transcript_path: string;
  readonly cwd: string;
  /** uuid of the prompt that is being answered. */
  readonly prompt_id?: string;
  readonly permission_mode?: PermissionMode;
  /** Present inside a subagent. */
  readonly agent_id?: string;
  readonly agent_type?: string;
  readonly effort?: { readonly level: string };
}

/** Answer to a question of an MCP server. */
export type ElicitationAction = 'accept' | 'decline' | 'cancel';

/** Why instructions were loaded; `recall`: selected because they are relevant for a prompt. */
export type LoadReason =
  | 'session_start'
  | 'nested_traversal'
  | 'path_glob_match'
  | 'include'
  | 'compact'
  | 'recall';

/** Who had a skill or command loaded: a person or host, the model, or the engine. */
export type InvokedBy = 'user' | 'claude' | 'other';

export interface CalledTool {
  readonly tool_name: string;
  /** The tool's server and where that server was configured; MCP tools only. */
  readonly mcp_server?: { readonly name: string; readonly source: string };
}

/** What the loop and the gate pass in; the port adds the base fields. */
export type HookCall =
  | (CalledTool & {
      readonly event: 'PreToolUse';
      readonly tool_input: unknown;
      readonly tool_use_id: string;
    })
  | (CalledTool & {
      readonly event: 'PostToolUse';
      readonly tool_input: unknown;
      readonly tool_response: unknown;
      readonly tool_use_id: string;
      readonly duration_ms: number;
    })
  | (CalledTool & {
      readonly event: 'PostToolUseFailure';
      readonly tool_input: unknown;
      readonly tool_use_id: string;
      readonly error: string;
      readonly is_interrupt: boolean;
      readonly duration_ms: number;
    })
  | { readonly event: 'PostToolBatch'; readonly tool_calls: readonly unknown[] }
  | (CalledTool & {
      readonly event: 'PermissionRequest';
      readonly tool_input: unknown;
      readonly permission_suggestions?: readonly PermissionUpdate[];
    })
  | (CalledTool & {
      readonly event: 'PermissionDenied';
      readonly tool_input: unknown;
      readonly tool_use_id: string;
      readonly reason: string;
    })
  | (CalledTool & {
      readonly event: 'PreSkillShellCommand';
      readonly tool_input: { readonly command: string };
      readonly tool_use_id: string;
      /** The skill or command in whose text it stands. */
      readonly command_name: string;
      readonly command_source?: string;
      readonly invoked_by: InvokedBy;
    })
  | {
      readonly event: 'Notification';
      readonly message: string;
      readonly title?: string;
      readonly notification_type: string;
    }
  | {
      readonly event: 'UserPromptSubmit';
      readonly prompt: string;
      /** Current title of the session. */
      readonly session_title?: string;
    }
  | {
      readonly event: 'UserPromptExpansion';
      readonly expansion_type: 'slash_command' | 'mcp_prompt';
      readonly command_name: string;
      readonly command_args: string;
      readonly command_source?: string;
      readonly prompt: string;
    }
  | {
      readonly event: 'SessionStart';
      readonly source: 'startup' | 'resume' | 'clear' | 'compact' | 'fork';
      readonly model?: string;
    }
  | { readonly event: 'SessionEnd'; readonly reason: string }
  | { readonly event: 'SubagentStart'; readonly agent_id: string; readonly agent_type: string }
  | {
      readonly event: 'SubagentStop';
      readonly stop_hook_active: boolean;
      readonly last_assistant_message?: string;
      readonly agent_id?: string;
      readonly agent_type?: string;
      readonly agent_transcript_path?: string;
    }
  | {
      readonly event: 'InstructionsLoaded';
      readonly file_path: string;
      readonly memory_type: 'User' | 'Project' | 'Local' | 'Managed';
      readonly load_reason: LoadReason;
      readonly trigger_file_path?: string;
      readonly parent_file_path?: string;
    }
  | {
      readonly event: 'FileChanged';
      readonly file_path: string;
      /** `event` in the hook's input; in this type `event` is the name of the hook event. */
      readonly change: 'change' | 'add' | 'unlink';
    }
  | { readonly event: 'ConfigChange'; readonly source: string; readonly file_path?: string }
  | { readonly event: 'Stop'; readonly stop_hook_active: boolean; readonly last_assistant_message?: string }
  | {
      readonly event: 'StopFailure';
      readonly error: string;
      readonly error_details?: string;
      readonly last_assistant_message?: string;
    }
  | {
      readonly event: 'PreCompact';
      readonly trigger: 'manual' | 'auto';
      readonly custom_instructions: string | null;
    }
  | { readonly event: 'PostCompact'; readonly trigger: 'manual' | 'auto'; readonly compact_summary: string }
  | {
      readonly event: 'Elicitation';
      readonly mcp_server_name: string;
      readonly message: string;
      readonly mode?: 'form' | 'url';
      readonly url?: string;
      readonly elicitation_id?: string;
      readonly requested_schema?: JsonSchema;
    }
  | {
      readonly event: 'ElicitationResult';
      readonly mcp_server_name: string;
      readonly mode?: 'form' | 'url';
      readonly elicitation_id?: string;
      readonly action: ElicitationAction;
      readonly content?: Record<string, unknown>;
    }
  | { readonly event: HookEvent; readonly [key: string]: unknown };

/**
 * The combined decision of the hooks of one event, folded in registration order: deny beats ask beats allow.
 * Messages for the user, failures included, are not part of it: the hooks room emits them, or passes them to
 * `say`.
 */
export interface HookVerdict {
  readonly permission?: 'allow' | 'deny' | 'ask';
  readonly reason?: string;
  /** Name of the hook that decided: `PreToolUse:Bash`. */
  readonly decidedBy?: string;
  readonly updatedInput?: Record<string, unknown>;
  readonly updatedOutput?: unknown;
  readonly additionalContext: readonly string[];
  /** Stop and UserPromptSubmit: send this text to the model and continue, or block the prompt. */
  readonly blockingErrors: readonly string[];
  /** `continue: false`. */
  readonly preventContinuation?: { readonly stopReason: string; readonly hookName?: string };
  /** PermissionRequest: rules that come with an `allow`, not validated yet. */
  readonly updatedPermissions?: unknown;
  /** PermissionRequest: a `deny` that ends the turn. */
  readonly interrupt?: boolean;
  /** PermissionDenied: the model may retry the call. */
  readonly retry?: boolean;
  /** SessionStart: prepended to the first prompt. */
  readonly initialUserMessage?: string;
  /** SessionStart and UserPromptSubmit: the new title of the session. */
  readonly sessionTitle?: string;
  /** The message about a blocked prompt does not repeat the prompt. */
  readonly suppressOriginalPrompt?: boolean;
  /** SessionStart: rescan skills and commands. */
  readonly reloadSkills?: boolean;
  /** MessageDisplay: what is shown in the place of the text. */
  readonly displayContent?: string;
  /** Elicitation and ElicitationResult: the answer to the server. */
  readonly elicitation?: {
    readonly action?: ElicitationAction;
    readonly content?: Record<string, unknown>;
  };
}

export const NO_HOOK_VERDICT: HookVerdict = Object.freeze({
  additionalContext: Object.freeze([]) as readonly string[],
  blockingErrors: Object.freeze([]) as readonly string[],
});

/** What the decision record has of one that ran. */
export interface HookTrace {
  readonly event: HookEvent;
  /** `callback`, `command`, … */
  readonly type: string;
  /** Monotonic clock, as `endMs`. */
  readonly startMs: number;
  readonly endMs: number;
  readonly outcome: 'answered' | 'blocked' | 'complained' | 'failed' | 'aborted';
  /** The call that its event is about. */
  readonly toolUseId?: string;
}

export interface HookPort {
  /** Takes what ran for an agent since the last time; undefined: the main agent. Absent: nothing is kept. */
  ran?(agentId?: string): readonly HookTrace[];
  /**
   * Contract: never throws; returns immediately when no hook is registered. Without a `signal` the caller
   * does not wait: the hooks end with the session, which grants them a short grace period.
   */
  run(
    call: HookCall,
    options?: {
      readonly signal: AbortSignal;
      readonly toolUseId?: string;
      /** Receives messages of hooks for the user (`systemMessage`). Default: they are emitted immediately. */
      readonly say?: (body: InformationalBody) => void;
    },
  ): Promise<HookVerdict>;
  /** Whether a run may take an outward step (a callback, a process). */
  has(event: HookEvent): boolean;
}
