/** Hooks that settings and plugins describe, in contrast to callbacks of the host (`hook.ts`). */
import type { HookEvent } from './hook.ts';

interface CommonHookConfig {
  /** A permission rule (`Bash(git *)`): the hook runs only for calls that may match it. Tool events only. */
  readonly if?: string | undefined;
  /** Seconds. */
  readonly timeout?: number | undefined;
  /** What a failure does to a gating event. Default `block`; hooks of other events never block. */
  readonly onFailure?: 'continue' | 'block' | undefined;
  /** Shown while it runs. */
  readonly statusMessage?: string | undefined;
  /** Runs once per session. */
  readonly once?: boolean | undefined;
}

/** A process: the event on its stdin, its answer on stdout, exit code 2 blocks. */
export interface CommandHookConfig extends CommonHookConfig {
  readonly type: 'command';
  /** A command line for the shell; with `args`, a program that is started without a shell. */
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** Default `bash`, else `sh`. */
  readonly shell?: 'bash' | 'powershell' | undefined;
  /** Runs in the background; its output is ignored. */
  readonly async?: boolean | undefined;
  /** Like `async`, but with exit code 2 its stderr is sent to the model. */
  readonly asyncRewake?: boolean | undefined;
}

/** The event is posted as JSON; the answer is the response's body. */
export interface HttpHookConfig extends CommonHookConfig {
  readonly type: 'http';
  readonly url: string;
  /** `$NAME` and `${NAME}` are replaced by variables that `allowedEnvVars` lists, and by '' otherwise. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly allowedEnvVars?: readonly string[] | undefined;
}

/** A tool of an MCP server of this session; its text is read like a command's output. */
export interface McpToolHookConfig extends CommonHookConfig {
  readonly type: 'mcp_tool';
  readonly server: string;
  readonly tool: string;
  /** `${tool_input.file_path}` in a string is replaced by that field of the event. Default `{}`. */
  readonly input?: Readonly<Record<string, unknown>> | undefined;
}

/** A question to a small model about the event: it answers `{"ok": …, "reason": …}`. */
interface PromptHookConfig extends CommonHookConfig {
  readonly type: 'prompt';
  /** `$ARGUMENTS` is replaced by the event as JSON; without it the event follows the text. */
  readonly prompt: string;
  /** Id or alias. Default: the small model of the session's provider. */
  readonly model?: string | undefined;
  /** What is blocked does not end the turn. Default false. */
  readonly continueOnBlock?: boolean | undefined;
}

/** As a prompt hook, but the model may first look around: it has the tools that read files. */
interface AgentHookConfig extends CommonHookConfig {
  readonly type: 'agent';
  readonly prompt: string;
  readonly model?: string | undefined;
}

export type JudgingHookConfig = PromptHookConfig | AgentHookConfig;

export type HookConfig = CommandHookConfig | HttpHookConfig | McpToolHookConfig | JudgingHookConfig;

export type HookSource =
  | 'userSettings'
  | 'projectSettings'
  | 'localSettings'
  | 'flagSettings'
  | 'policySettings'
  | 'pluginHook';

export interface ConfiguredHook {
  readonly event: HookEvent;
  readonly matcher?: string | undefined;
  readonly config: HookConfig;
  readonly source: HookSource;
  /** The file that defines it, or a description of its source. */
  readonly place: string;
  /** Folder of its plugin: `CLAUDE_PLUGIN_ROOT` for its commands. */
  readonly pluginRoot?: string | undefined;
  readonly pluginName?: string | undefined;
  /** It runs for calls of the agent of this name alone. */
  readonly onlyIn?: string | undefined;
  /** It runs for all calls but those of the agent of this name. */
  readonly notIn?: string | undefined;
  /** Listed but never run: disabled by `disableAllHooks` or a policy. */
  readonly disabled?: true | undefined;
}

export interface HookPolicy {
  /** `disableAllHooks`: only hooks of managed settings run. */
  readonly allDisabled: boolean;
  /** Set by managed settings: their own hooks do not run either. */
  readonly disabledByPolicy: boolean;
  /** Only hooks of managed settings run. */
  readonly managedOnly: boolean;
  /** Patterns with `*`; undefined: every URL. */
  readonly allowedHttpUrls?: readonly string[] | undefined;
  /** Variables that headers may reference; undefined: those that each hook lists. */
  readonly httpAllowedEnvVars?: readonly string[] | undefined;
}

export const OPEN_HOOK_POLICY: HookPolicy = Object.freeze({
  allDisabled: false,
  disabledByPolicy: false,
  managedOnly: false,
});

/** A row of the listing of hooks (`get_hooks_listing`). */
export interface HookListingRow {
  readonly event: HookEvent;
  /** '' if there is none. */
  readonly matcher: string;
  readonly source: HookSource | 'sessionHook';
  readonly sourceLabel: string;
  readonly pluginName?: string;
  readonly type: HookConfig['type'] | 'callback';
  readonly displayText: string;
  readonly commandText: string;
  readonly contentLabel: string;
  readonly condition?: string;
  /** Seconds. */
  readonly timeout?: number;
  readonly statusMessage?: string;
  readonly runsOnce?: boolean;
  readonly runsInBackground?: boolean;
  readonly disabled?: true;
}

export interface HookEventInfo {
  readonly name: HookEvent;
  readonly summary: string;
  readonly supportsMatcher: boolean;
}

export interface HooksListing {
  /** Events with at least one hook. */
  readonly events: readonly (HookEventInfo & { readonly hookCount: number })[];
  readonly hooks: readonly HookListingRow[];
  readonly eventCatalog: readonly HookEventInfo[];
  readonly policy: {
    readonly disabledByPolicy: boolean;
    readonly managedOnly: boolean;
    readonly pluginOnly: boolean;
    readonly allDisabled: boolean;
    readonly policyHookCount: number;
  };
}
