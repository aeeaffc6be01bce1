/** The first message of a submission, as consumers receive it. */
import type { FastModeDisabledReason, FastModeState } from '../model/model.ts';
import type { PermissionMode } from '../tools/permission.ts';
import type { Stamped } from './session-messages.ts';

/**
 * Set-up of the session. Emitted at the beginning of each submission, before the first request.
 *
 * @example
 * ```ts
 * const failed = ({ mcp_servers }: SDKSystemInit) =>
 *   mcp_servers.filter(({ status }) => status === 'failed').map(({ name, error }) => `${name}: ${error}`);
 * ```
 */
export interface SDKSystemInit extends Stamped {
  readonly type: 'system';
  readonly subtype: 'init';
  /** Where the credential is from, such as `ANTHROPIC_API_KEY`; `none` without one. */
  readonly apiKeySource: string;
  /** Version of the protocol, for clients that compare it. */
  readonly claude_code_version: string;
  readonly turnwright_version: string;
  /** Base of relative paths. */
  readonly cwd: string;
  /** The session's own folder. */
  readonly original_cwd: string;
  /** Names of the tools that the model is offered. */
  readonly tools: readonly string[];
  readonly mcp_servers: readonly {
    readonly name: string;
    readonly status: string;
    /**
     * `dynamic`: passed in by the host; `sdk`: in the host's process; else the kind of file that configures
     * it.
     */
    readonly source?: string;
    /** Error of a `failed` server, in one sentence. */
    readonly error?: string;
  }[];
  /** Model of the main agent. */
  readonly model: string;
  readonly permissionMode: PermissionMode;
  /** Names without the slash. */
  readonly slash_commands: readonly string[];
  /** Commands that need a terminal: always empty. */
  readonly terminal_slash_commands: readonly string[];
  readonly output_style: string;
  /** Names of the agents that can be started. */
  readonly agents: readonly string[];
  /** Names of the skills. */
  readonly skills: readonly string[];
  readonly plugins: readonly {
    readonly name: string;
    readonly path: string;
    readonly source: string;
    readonly version?: string;
  }[];
  /** Plugins, or parts of them, that did not load. */
  readonly plugin_errors?: readonly {
    readonly plugin: string;
    readonly type: string;
    readonly message: string;
    readonly path?: string;
  }[];
  /** Absolute paths beside `cwd` that tools may use. */
  readonly additional_directories: readonly string[];
  /** Folder of the memory that the model writes. */
  readonly memory_paths?: { readonly auto: string };
  /** Whether the base URL is Anthropic's own API. */
  readonly served_by_anthropic: boolean;
  readonly analytics_disabled: true;
  readonly product_feedback_disabled: true;
  readonly view_mode: 'default';
  /** Whether commands run in the sandbox. */
  readonly sandbox_enabled: boolean;
  /** What other engines have, and this one has not. */
  readonly per_turn_effort_active: false;
  readonly ultrathink_available: false;
  readonly ultrathink_typed_raises: false;
  /** uuids of the prompts that are about to be answered, if their senders gave them. */
  readonly user_message_uuids?: readonly string[];
  /** Betas that the caller requested; absent if none. */
  readonly betas?: readonly string[];
  /** Whether requests use fast mode, pause it after a rate limit (`cooldown`), or do not use it. */
  readonly fast_mode_state: FastModeState;
  /** Absent: fast mode is used, or suspended for a time. */
  readonly fast_mode_disabled_reason?: FastModeDisabledReason;
  /** Capabilities of the engine that clients may rely on. */
  readonly capabilities: readonly string[];
}
