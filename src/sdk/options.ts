/** The options of `query()`. Names and meanings are those of the field's de-facto SDK where both have them. */

import type { QueryEngineConfig, ToolConfig } from '../engine/config.ts';
import type { PluginConfig } from '../engine/wiring/project/plugins.ts';
import type { ToolSearchMode } from '../engine/wiring/settings.ts';
import type { HookCallbackMatcher, HookEvent } from '../protocol/hook.ts';
import type { JsonSchema } from '../protocol/json.ts';
import type { CanUseTool, PermissionMode } from '../protocol/permission.ts';
import type { SessionStore, SessionStoreFlush } from '../protocol/session-store.ts';
import type { EffortLevel, ThinkingConfig } from '../protocol/wire.ts';
import type { ExtraArgs } from './extra-args.ts';
import type { McpServerConfig } from './mcp/server-config.ts';
import type { AgentOption, CustomPrompt, PresetPrompt } from './option-values.ts';

/** Separates what stays the same from what varies in a system prompt given as an array; never sent. */
export const SYSTEM_PROMPT_DYNAMIC_BOUNDARY = '__SYSTEM_PROMPT_DYNAMIC_BOUNDARY__';

export type SettingSource = 'user' | 'project' | 'local';

export type { AgentOption, CustomPrompt, PresetPrompt };

export interface Options {
  /** Aborting it ends the run; the iterator then throws AbortError. */
  abortController?: AbortController | undefined;
  /** Absolute paths that tools may use besides `cwd`. */
  additionalDirectories?: readonly string[] | undefined;
  /** The main thread is this agent: its prompt, its tools, its model. */
  agent?: string | undefined;
  /** Agents that the model may start, by name; they beat those of files and the built-in ones. */
  agents?: Readonly<Record<string, AgentOption>> | undefined;
  /**
   * About every half a minute a `task_progress` message says in a few words what each running subagent is at, by a
   * small model, when something happened since. Costs count as any other's. Default false.
   */
  agentProgressSummaries?: boolean | undefined;
  /** Lets the session be switched to `bypassPermissions` later. Starting in that mode implies it. Default false. */
  allowDangerouslySkipPermissions?: boolean | undefined;
  /** Rules that are allowed without asking: `Tool` or `Tool(specifier)`. */
  allowedTools?: readonly string[] | undefined;
  betas?: readonly string[] | undefined;
  /** Asked for calls that rules and mode leave open; absent: denied. */
  canUseTool?: CanUseTool | undefined;
  /** Go on with the newest session of `cwd`; a new one when there is none. */
  continue?: boolean | undefined;
  /** There are no slash commands; `/name` is a prompt like any other. Default false. */
  disableSlashCommands?: boolean | undefined;
  /**
   * A log of what the session does, never of what is said in it, line by line to `stderr`, or to the process's own
   * where there is none. A text names what is wanted (`api,session,told,warning`, or `!told`). Default false.
   */
  debug?: boolean | string | undefined;
  /** That log goes to the end of this file instead. Implies `debug`. Throws `invalid_option` when it cannot be written. */
  debugFile?: string | undefined;
  /** Default the caller's. */
  cwd?: string | undefined;
  /** A bare name takes the tool away, `Tool(specifier)` denies such calls. */
  disallowedTools?: readonly string[] | undefined;
  effort?: EffortLevel | undefined;
  /** The whole environment: of tools, and for keys and addresses of the model. Default the process's own. */
  env?: Readonly<Record<string, string | undefined>> | undefined;
  /**
   * Flags of a command line, without their dashes; null for a flag without a value. Those that are an option by another
   * name are taken, the others refused with `invalid_option`. An option that is given itself holds.
   */
  extraArgs?: ExtraArgs | undefined;
  /**
   * Requests at high speed and a higher price, of models that offer it (Opus 4.8 and newer). A rate limit that lasts
   * longer than 20 s suspends it for ten minutes at least, and a plan without extra usage ends it. Default: the setting
   * `fastMode`, else false.
   */
  fastMode?: boolean | undefined;
  /** Comma-separated, tried in order on overload. */
  fallbackModel?: string | undefined;
  /** With `resume` or `continue`: under a new id. */
  forkSession?: boolean | undefined;
  /** Shows the text and thinking of subagents too, not only their calls. Default false. */
  forwardSubagentText?: boolean | undefined;
  hooks?: Partial<Record<HookEvent, readonly HookCallbackMatcher[]>> | undefined;
  /** `hook_started` and the like for hooks of every event; those of SessionStart are shown always. */
  includeHookEvents?: boolean | undefined;
  /**
   * What Write, Edit and NotebookEdit change is kept first, beside the session, for `rewindFiles`. Default: the setting
   * `fileCheckpointingEnabled`, else false.
   */
  enableFileCheckpointing?: boolean | undefined;
  /** Raw stream events too. */
  includePartialMessages?: boolean | undefined;
  /** USD. */
  maxBudgetUsd?: number | undefined;
  maxTurns?: number | undefined;
  /** Thinking budget in tokens, 0 for none; `thinking` beats it. */
  maxThinkingTokens?: number | undefined;
  /**
   * By name: in-process servers of ours (`createSdkMcpServer`) or of the MCP SDK, servers behind a function, and
   * those to start (`stdio`) or to reach (`http`, `sse`). `${VAR}` and `${VAR:-default}` in the last two are replaced
   * from `env`. A server that cannot be used is `failed` and delays nothing.
   */
  mcpServers?: Readonly<Record<string, McpServerConfig>> | undefined;
  /** Id or alias. */
  model?: string | undefined;
  /** How deep subagents may nest; 0: there are none. Default 1: the main agent starts agents, those start none. */
  maxSubagentDepth?: number | undefined;
  /** Subagents of one session, at every depth. Default 200. */
  maxSubagents?: number | undefined;
  /** Subagents that one answer of the model may start. Default 10. */
  maxSubagentsPerMessage?: number | undefined;
  /** Answers what MCP servers ask a person; absent: declined. */
  onElicitation?: QueryEngineConfig['handleElicitation'];
  /** The result must be a value of this schema (`structured_output`). */
  outputFormat?: { readonly type: 'json_schema'; readonly schema: JsonSchema } | undefined;
  /** The policy of the program that starts us, as a value, JSON or a path to a file: only restrictions pass. */
  managedSettings?: string | Readonly<Record<string, unknown>> | undefined;
  /** The machine's policy, if that file exists; default none. The command line names the system's own place. */
  managedSettingsFile?: string | undefined;
  /** What no allow rule names is denied, in every mode, bypassPermissions included. Default false. */
  allowedToolsOnly?: boolean | undefined;
  /** `auto` is `default` here: no classifier decides, whoever can be asked is. */
  permissionMode?: PermissionMode | 'auto' | undefined;
  /** The caller can stop single tasks (`stopTask`): `interrupt()` then spares those in the background while input is open. */
  perTaskStopAffordance?: boolean | undefined;
  /** Isolation of shell commands, see docs/sandbox.md. `enabled: true` refuses to start where there is none, unless `failIfUnavailable` is false. */
  sandbox?: { enabled?: boolean; failIfUnavailable?: boolean; [more: string]: unknown } | undefined;
  /**
   * For runs that nobody attends: overload and rate limits are waited out without limit, with an `api_retry` message
   * every 30 s. Default: the variable CLAUDE_CODE_UNATTENDED_RETRY, else the setting `persistentRetry`, else false.
   */
  persistentRetry?: boolean | undefined;
  /** How long whoever is asked may take, ms; then the call is denied. Default without limit. */
  permissionTimeoutMs?: number | undefined;
  /** `none`: nobody is asked; what would be is denied. Default `host`. */
  permissionPrompts?: 'host' | 'none' | undefined;
  /** An MCP tool, `mcp__server__tool`, that answers permission questions instead of `canUseTool`. */
  permissionPromptToolName?: string | undefined;
  /**
   * Folders with skills, commands, agents, hooks and MCP servers, under names that begin with the plugin's. One that
   * is broken is named in `system/init` and harms no other.
   */
  plugins?: readonly PluginConfig[] | undefined;
  /** How to plan in plan mode, in place of the engine's own words. */
  planModeInstructions?: string | undefined;
  /** false: nothing on disk, no resume. */
  persistSession?: boolean | undefined;
  /**
   * false: settings of the project (`project`, `local`) can only restrict; what they would allow or run is passed
   * over, as on the command line. Default: naming the source is the decision, but for `permissions.allow` of the shared
   * file. That takes true here, or a folder that the user has trusted (`turnwright trust`).
   */
  projectTrusted?: boolean | undefined;
  /** With `projectTrusted: false`: a project whose content the user has trusted (`turnwright trust`) is trusted. */
  trustRecorded?: boolean | undefined;
  /**
   * After a turn a `prompt_suggestion` message may say what the person will likely ask next, by a small model; not
   * after the first turn, a failed one, or in plan mode, and the next prompt calls it off. Default false.
   */
  promptSuggestions?: boolean | undefined;
  /** Where the project's settings are looked for; default `cwd`. */
  projectConfigRoot?: string | undefined;
  /** Prompts are repeated as `isReplay` messages, under the uuid they came with. */
  replayUserMessages?: boolean | undefined;
  /** Id of the session to go on with. */
  resume?: string | undefined;
  /**
   * With `resume` or `continue`: what was interrupted is carried on to its result first; prompts that come meanwhile
   * join it like any running turn.
   */
  carryOn?: boolean | undefined;
  /** With `resume`: uuid of the last message that counts. What came after it is never sent again. */
  resumeSessionAt?: string | undefined;
  /**
   * With `resumeSessionAt`: uuid of the prompt whose turn is meant to go. When anything else would be lost the resume
   * is refused, and nothing is written.
   */
  resumeDropsTurn?: string | undefined;
  /** UUID for a new session, or for a fork. */
  sessionId?: string | undefined;
  /**
   * Gets a copy of the session, entry by entry, behind the session file; with `resume` or `continue` the session comes
   * from it. A batch that it does not take in three tries is given up with a `mirror_error` message.
   */
  sessionStore?: SessionStore | undefined;
  /** Default `batched`: about every 100 ms, and before each result. */
  sessionStoreFlush?: SessionStoreFlush | undefined;
  /** Of each read of `sessionStore`, in ms. Default 60 000. */
  loadTimeoutMs?: number | undefined;
  /** Which settings files are read; default none. `project` also brings CLAUDE.md and AGENTS.md. */
  settingSources?: readonly SettingSource[] | undefined;
  /** Above all settings files: JSON, a path to a file, or the value. */
  settings?: string | Readonly<Record<string, unknown>> | undefined;
  /**
   * Which skills there are: names (`pdf`, `plugin:pdf`), or all that `settingSources` and plugins bring, which is the
   * default. Named, it also brings the Skill tool where `tools` does not.
   */
  skills?: 'all' | readonly string[] | undefined;
  /** Warnings, one line each. */
  stderr?: ((line: string) => void) | undefined;
  /** Only the MCP servers of `mcpServers`, none of a project's `.mcp.json`. Default false. */
  strictMcpConfig?: boolean | undefined;
  /** ms after which a subagent is ended, and what it has said is delivered. Default none. */
  subagentDeadlineMs?: number | undefined;
  /** Default none. */
  systemPrompt?: string | readonly string[] | PresetPrompt | CustomPrompt | undefined;
  /** Tokens, told to the model. */
  taskBudget?: { readonly total: number } | undefined;
  /** Name of a new session. */
  title?: string | undefined;
  thinking?: ThinkingConfig | undefined;
  /** Calls of the names on the left run the tools on the right: one hop. */
  toolAliases?: Readonly<Record<string, string>> | undefined;
  /** Settings of single built-in tools. */
  toolConfig?: ToolConfig | undefined;
  /**
   * When tools of MCP servers are left out of requests until the model looks for them: `true` always, `false` never,
   * `auto` when they would take more than a tenth of the context window, `auto:5` when more than 5 percent of it.
   * Default: the variable ENABLE_TOOL_SEARCH, else the setting `toolSearch`, else true for Claude models and `auto` for
   * others.
   */
  toolSearch?: ToolSearchMode | undefined;
  /** Which built-in tools exist: names, `[]` for none, or the preset for all (the default). */
  tools?:
    | readonly string[]
    | { readonly type: 'preset'; readonly preset: 'turnwright' | 'claude_code' }
    | undefined;
  /** Prompts go to the model as they are: no slash commands, no files for `@path`. Default false. */
  verbatimPrompts?: boolean | undefined;
  /** Fields of the engine's own configuration; they win over what is made of the options above. */
  engine?: Partial<QueryEngineConfig> | undefined;
}
