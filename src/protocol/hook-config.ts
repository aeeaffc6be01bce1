/** Hooks that settings and plugins describe, as against callbacks of the host's own code (`hook.ts`). */
import type { HookEvent } from './hook.ts';

interface CommonHookConfig {
  /** A permission rule (`Bash(git *)`): runs only for calls it might mean. Tool events alone. */
  readonly if?: string | undefined;
  /** Seconds. */
  readonly timeout?: number | undefined;
  /** What a failure does to a gate. Default `block`; an observer never blocks. */
  readonly onFailure?: 'continue' | 'block' | undefined;
  /** Shown while it runs. */
  readonly statusMessage?: string | undefined;
  /** Runs once per session. */
  readonly once?: boolean | undefined;
}

/** A process: the event on its stdin, its answer on stdout, exit code 2 blocks. */
export interface CommandHookConfig extends CommonHookConfig {
  readonly type: 'command';
  /** A command line for the shell; with `args` a program, started without a shell. */
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  /** Default `bash`, else `sh`. */
  readonly shell?: 'bash' | 'powershell' | undefined;
  /** Nobody waits for it. */
  readonly async?: boolean | undefined;
  /** Like `async`; exit code 2 puts what it wrote to stderr before the model. */
  readonly asyncRewake?: boolean | undefined;
}

/** The event is posted as JSON; the answer is the response's body. */
export interface HttpHookConfig extends CommonHookConfig {
  readonly type: 'http';
  readonly url: string;
  /** `$NAME` and `${NAME}` stand for variables that `allowedEnvVars` lists, and for nothing otherwise. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  readonly allowedEnvVars?: readonly string[] | undefined;
}

/** A tool of an MCP server of this session; its text is read like a command's output. */
export interface McpToolHookConfig extends CommonHookConfig {
  readonly type: 'mcp_tool';
  readonly server: string;
  readonly tool: string;
  /** `${tool_input.file_path}` in a text stands for that field of the event. Default `{}`. */
  readonly input?: Readonly<Record<string, unknown>> | undefined;
}

export type HookConfig = CommandHookConfig | HttpHookConfig | McpToolHookConfig;

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
  /** The file it stands in, or words for where it came from. */
  readonly place: string;
  /** Of a plugin: its folder, `CLAUDE_PLUGIN_ROOT` for its commands. */
  readonly pluginRoot?: string | undefined;
  readonly pluginName?: string | undefined;
  /** Listed, never run: switched off by `disableAllHooks` or a policy. */
  readonly disabled?: true | undefined;
}

export interface HookPolicy {
  /** `disableAllHooks`: hooks of settings and plugins do not run, but those of managed settings do. */
  readonly allDisabled: boolean;
  /** Managed settings say so: theirs do not run either. */
  readonly disabledByPolicy: boolean;
  /** Only hooks of managed settings run. */
  readonly managedOnly: boolean;
  /** Patterns with `*`; undefined: every address. */
  readonly allowedHttpUrls?: readonly string[] | undefined;
  /** Variables that headers may name at all; undefined: whatever a hook lists. */
  readonly httpAllowedEnvVars?: readonly string[] | undefined;
}

export const OPEN_HOOK_POLICY: HookPolicy = Object.freeze({
  allDisabled: false,
  disabledByPolicy: false,
  managedOnly: false,
});

/** A row of what is registered, for people (`get_hooks_listing`). */
export interface HookListingRow {
  readonly event: HookEvent;
  /** '' when there is none. */
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
