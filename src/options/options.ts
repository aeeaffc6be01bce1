/**
 * The options of `query()`: their types and what they mean. `table.ts` holds how each one is checked, and its
 * flag, its variable and its settings key. The first sentence of a comment is the option's sentence in
 * docs/options.md and in `turnwright --help`, the headings are theirs too, and `npm run docs` writes both.
 */

import type { ProviderConfig } from '../protocol/model/provider.ts';
import type { EffortLevel, ThinkingConfig } from '../protocol/model/wire.ts';
import type { SessionStore, SessionStoreFlush } from '../protocol/session/session-store.ts';
import type { CanUseTool } from '../protocol/tools/can-use-tool.ts';
import type { HookCallbackMatcher, HookEvent } from '../protocol/tools/hook.ts';
import type { ElicitationAnswer, ElicitationRequest } from '../protocol/tools/mcp.ts';
import type { PermissionMode } from '../protocol/tools/permission.ts';
import type { PluginConfig } from '../protocol/tools/plugin.ts';
import type {
  AgentOption,
  CustomPrompt,
  ExtraArgs,
  PresetPrompt,
  SettingSource,
  ToolConfig,
  ToolSearchMode,
} from './option-values.ts';
import type { OutputFormat } from './output-format.ts';

/**
 * All options but the two whose types belong to other rooms, `mcpServers` and `engine`: see `sdk/options.ts`.
 */
export interface BaseOptions<Output = unknown> {
  // Output

  /**
   * The answer must be a value of this schema, which the result carries as `structured_output`. A schema of
   * zod 3 or 4 or of another library with the standard interface also checks the value and gives it its type;
   * a JSON Schema, alone or as `{ type: 'json_schema', schema }`, leaves it `unknown`.
   */
  outputFormat?: OutputFormat<Output> | undefined;
  /**
   * Emits the raw stream events of the model too, as `stream_event` messages.
   * @default false
   */
  includePartialMessages?: boolean | undefined;
  /**
   * Emits `hook_started`, `hook_progress` and `hook_response` for hooks of every event; those of SessionStart
   * are always emitted.
   * @default false
   */
  includeHookEvents?: boolean | undefined;
  /**
   * Emits the text and thinking of subagents too, not only their tool calls.
   * @default false
   */
  forwardSubagentText?: boolean | undefined;
  /**
   * Repeats each prompt as a `user` message with `isReplay`, under the uuid it came with.
   * @default false
   */
  replayUserMessages?: boolean | undefined;
  /**
   * Emits a `task_progress` message about every 30 s that says in a few words what each running subagent is
   * doing. A small model writes it, when something has happened since; it costs like any other call.
   * @default false
   */
  agentProgressSummaries?: boolean | undefined;
  /**
   * Emits a `prompt_suggestion` after a turn: what the person will likely ask next. A small model writes it;
   * there is none after the first turn, after a failed one and in plan mode, and the next prompt cancels it.
   * @default false
   */
  promptSuggestions?: boolean | undefined;

  // Model and limits

  /**
   * Id of the model, or an alias: `opus`, `sonnet`, `haiku`, `fable`; default `claude-opus-5-5`.
   * @default opus
   */
  model?: string | undefined;
  /**
   * Whose model is asked: `anthropic`, `bedrock`, `vertex`, `foundry`, `openai-compatible`, `ollama`,
   * `lmstudio`, `llamacpp`, or a name of `providers`. A model of another one is named with it:
   * `ollama:qwen3:8b`.
   * @default anthropic
   */
  provider?: string | undefined;
  /** Address of the provider's API, for `anthropic` and `openai-compatible`. */
  baseUrl?: string | undefined;
  /** Further providers by name: how each is reached. */
  providers?: Readonly<Record<string, ProviderConfig>> | undefined;
  /** Models to try in order when the model is overloaded or stalls, separated by commas. */
  fallbackModel?: string | undefined;
  /**
   * Whether and how the model thinks. It wins over `maxThinkingTokens`.
   * @default what the model does best: adaptive, or a budget
   */
  thinking?: ThinkingConfig | undefined;
  /** Budget for thinking in tokens; 0 turns thinking off. */
  maxThinkingTokens?: number | undefined;
  /**
   * How much effort the model spends on an answer.
   * @default the model's own
   */
  effort?: EffortLevel | undefined;
  /** Names of beta features, sent in the `anthropic-beta` header of each request. */
  betas?: readonly string[] | undefined;
  /**
   * Asks for answers at high speed and a higher price, from models that offer it (Opus 4.8 and newer). A rate
   * limit that lasts longer than 20 s suspends it for at least ten minutes, and a plan without extra usage
   * ends it.
   * @default false
   */
  fastMode?: boolean | undefined;
  /**
   * Waits out overload and rate limits without limit, with an `api_retry` message every 30 s: for unattended
   * runs.
   * @default false
   */
  persistentRetry?: boolean | undefined;
  /**
   * Most turns that a prompt may take, a turn being one answer of the model with its tool calls. Beyond it
   * the result is `error_max_turns`.
   * @default unlimited
   */
  maxTurns?: number | undefined;
  /**
   * Most that the session may spend, in USD. Every call counts, those of subagents and helper models
   * included, and once it is spent the result is `error_max_budget_usd`.
   * @default unlimited
   */
  maxBudgetUsd?: number | undefined;
  /**
   * Keeps `maxBudgetUsd` also in the worst case: a model call is made only if the budget can pay the most
   * that it may cost, beside the calls of agents and helpers that are in flight. Otherwise the run ends with
   * `error_max_budget_usd` before the call. Requests are not sent in fast mode, whose price is not known.
   * @default false
   */
  strictBudget?: boolean | undefined;
  /** Tokens for the whole task, which are sent to the model so that it paces itself. */
  taskBudget?: { readonly total: number } | undefined;
  /**
   * The system prompt: a text, several texts, or the preset with something appended.
   * @default none; the command line sends the preset
   */
  systemPrompt?: string | readonly string[] | PresetPrompt | CustomPrompt | undefined;

  // Tools and permissions

  /**
   * The built-in tools that exist: names, `[]` for none, or the preset for all.
   * @default all
   */
  tools?:
    | readonly string[]
    | { readonly type: 'preset'; readonly preset: 'turnwright' | 'claude_code' }
    | undefined;
  /** Rules for calls that run without asking, as `Tool` or `Tool(specifier)`. */
  allowedTools?: readonly string[] | undefined;
  /** Rules for calls that never run. A bare name also hides the tool from the model. */
  disallowedTools?: readonly string[] | undefined;
  /**
   * Denies what no allow rule names, in every mode, `bypassPermissions` included.
   * @default false
   */
  allowedToolsOnly?: boolean | undefined;
  /**
   * Who decides about calls that no rule covers. `manual` and `auto` mean `default`: there is no classifier,
   * so the host is asked.
   * @default default
   */
  permissionMode?: PermissionMode | 'manual' | 'auto' | undefined;
  /**
   * Lets the session switch to `bypassPermissions` later. Starting in that mode implies it.
   * @default false
   */
  allowDangerouslySkipPermissions?: boolean | undefined;
  /** Called when neither rules nor mode decide about a call. Without it such calls are denied. */
  canUseTool?: CanUseTool | undefined;
  /**
   * Time that `canUseTool` has for an answer, in ms; then the call is denied.
   * @default unlimited
   */
  permissionTimeoutMs?: number | undefined;
  /**
   * How long a run waits for a question to be answered, for a rate limit to pass or in the Sleep tool, in ms.
   * A longer wait ends the run with `system/session_parked` in place of a result; a later `resume` goes on.
   * @default unlimited
   */
  parkAfterMs?: number | undefined;
  /**
   * Whether the host is asked about calls; with `none`, calls that would be asked about are denied.
   * @default host
   */
  permissionPrompts?: 'host' | 'none' | undefined;
  /** An MCP tool, `mcp__server__tool`, that answers permission questions in place of `canUseTool`. */
  permissionPromptToolName?: string | undefined;
  /** Folders that tools may use besides `cwd`. */
  additionalDirectories?: readonly string[] | undefined;
  /**
   * Runs shell commands isolated by the system, see docs/sandbox.md. With `enabled: true` the session refuses
   * to start where isolation is unavailable, unless `failIfUnavailable` is false.
   */
  sandbox?: { enabled?: boolean; failIfUnavailable?: boolean; [more: string]: unknown } | undefined;
  /** Runs the tools on the right for calls of the names on the left, one hop. */
  toolAliases?: Readonly<Record<string, string>> | undefined;
  /** Settings of single built-in tools. */
  toolConfig?: ToolConfig | undefined;
  /**
   * When tools of MCP servers are left out of requests until the model searches for them: `true` always,
   * `false` never, `auto` when they would take more than a tenth of the context window, `auto:5` when more
   * than 5 percent of it.
   * @default true for Claude models, auto for others
   */
  toolSearch?: ToolSearchMode | undefined;
  /** How to plan in plan mode, in place of the built-in instructions. */
  planModeInstructions?: string | undefined;

  // Session and settings

  /** Id of the session to resume. */
  resume?: string | undefined;
  /** Resumes the newest session of `cwd`, or begins a new one when there is none. */
  continue?: boolean | undefined;
  /** Resumes under a new id and leaves the old session as it is. */
  forkSession?: boolean | undefined;
  /**
   * Finishes the interrupted turn of the resumed session first. Prompts that arrive meanwhile join it, as
   * they join any running turn.
   */
  carryOn?: boolean | undefined;
  /** Uuid of the last message that counts when resuming. What came after it is never sent again. */
  resumeSessionAt?: string | undefined;
  /**
   * Uuid of the prompt whose turn `resumeSessionAt` is meant to drop. When anything else would be lost the
   * resume is refused, and nothing is written.
   */
  resumeDropsTurn?: string | undefined;
  /**
   * Id of the new session, or of the fork; a UUID.
   * @default a fresh one
   */
  sessionId?: string | undefined;
  /** Title of the new session. */
  title?: string | undefined;
  /**
   * Whether the session is written to disk; one that is not cannot be resumed.
   * @default true
   */
  persistSession?: boolean | undefined;
  /**
   * Receives a copy of the session, entry by entry, after the session file; with `resume` or `continue` the
   * session is read from it. What it rejects three times is sent later, with a `mirror_error` message.
   */
  sessionStore?: SessionStore | undefined;
  /**
   * When entries are handed to `sessionStore`: `batched` about every 100 ms and before each result, `eager`
   * at once.
   * @default batched
   */
  sessionStoreFlush?: SessionStoreFlush | undefined;
  /**
   * Limit of each read of `sessionStore`, in ms.
   * @default 60000
   */
  loadTimeoutMs?: number | undefined;
  /**
   * Keeps what Write, Edit and NotebookEdit change, beside the session, for `rewindFiles()`.
   * @default false
   */
  enableFileCheckpointing?: boolean | undefined;
  /** Settings above all settings files: JSON, a path to a file, or the value. */
  settings?: string | Readonly<Record<string, unknown>> | undefined;
  /**
   * Settings files to read, of user, project and local. `project` also brings CLAUDE.md and AGENTS.md.
   * @default none; the command line reads all
   */
  settingSources?: readonly SettingSource[] | undefined;
  /**
   * Policy of the host: settings as a value, JSON or a path to a file, of which only restrictions take
   * effect.
   */
  managedSettings?: string | Readonly<Record<string, unknown>> | undefined;
  /**
   * Policy file of the machine, read if it exists.
   * @default none; the command line names the system's own place
   */
  managedSettingsFile?: string | undefined;
  /**
   * Folder in which the settings of the project are looked for.
   * @default cwd
   */
  projectConfigRoot?: string | undefined;
  /**
   * Whether settings of the project (`project`, `local`) may do more than restrict. When false, what they
   * would allow or run is ignored. When absent, naming the source agrees to all but `permissions.allow` of
   * the shared file: that takes true here, or a folder that the user has trusted (`turnwright trust`).
   * @default by the sources named; the command line sends false
   */
  projectTrusted?: boolean | undefined;
  /**
   * Trusts a project whose content the user has trusted (`turnwright trust`), also with `projectTrusted:
   * false`.
   * @default false
   */
  trustRecorded?: boolean | undefined;
  /**
   * Passes prompts to the model as they are: no slash commands, no files for `@path`.
   * @default false
   */
  verbatimPrompts?: boolean | undefined;
  /**
   * Turns slash commands off: `/name` is a prompt like any other.
   * @default false
   */
  disableSlashCommands?: boolean | undefined;

  // Agents

  /** The agent that the main thread is: its prompt, its tools, its model. */
  agent?: string | undefined;
  /** Agents that the model may start, by name. They win over those of files and the built-in ones. */
  agents?: Readonly<Record<string, AgentOption>> | undefined;
  /**
   * How deep subagents may nest; 0 turns them off. With 1 the main agent starts subagents, and those start
   * none.
   * @default 1
   */
  maxSubagentDepth?: number | undefined;
  /**
   * Most subagents of one session, at every depth.
   * @default 200
   */
  maxSubagents?: number | undefined;
  /**
   * Most subagents that one answer of the model may start.
   * @default 10
   */
  maxSubagentsPerMessage?: number | undefined;
  /**
   * Time after which a subagent is ended and its output so far delivered, in ms.
   * @default unlimited
   */
  subagentDeadlineMs?: number | undefined;
  /**
   * The host offers `stopTask` for single tasks: `interrupt()` then spares those in the background while
   * input is open.
   * @default false
   */
  perTaskStopAffordance?: boolean | undefined;

  // Extensions

  /** Callbacks for points of a run, by event. */
  hooks?: Partial<Record<HookEvent, readonly HookCallbackMatcher[]>> | undefined;
  /**
   * Uses the servers of `mcpServers` alone, none of a project's `.mcp.json` or of the user.
   * @default false
   */
  strictMcpConfig?: boolean | undefined;
  /** Called when an MCP server asks the user something. Without it such questions are declined. */
  onElicitation?:
    | ((
        request: ElicitationRequest,
        options: { signal: AbortSignal; askId: string },
      ) => Promise<ElicitationAnswer>)
    | undefined;
  /**
   * Folders with skills, commands, agents, hooks and MCP servers, under names that begin with the plugin's. A
   * broken one is named in `system/init` and harms no other.
   */
  plugins?: readonly PluginConfig[] | undefined;
  /**
   * Skills that the model may use: names (`pdf`, `plugin:pdf`), or all that `settingSources` and plugins
   * bring. The others stay commands that a user may call. Named skills also bring the Skill tool where
   * `tools` does not.
   * @default all
   */
  skills?: 'all' | readonly string[] | undefined;

  // Process

  /**
   * Working folder of the session.
   * @default that of the process
   */
  cwd?: string | undefined;
  /**
   * The whole environment: for child processes of tools, and for keys and addresses of the model.
   * @default that of the process
   */
  env?: Readonly<Record<string, string | undefined>> | undefined;
  /** Ends the run when it is aborted; the iterator then throws AbortError. */
  abortController?: AbortController | undefined;
  /** Called with each warning, one line. */
  stderr?: ((line: string) => void) | undefined;
  /**
   * Writes a log of what the session does, never of what is said in it, line by line to `stderr`, or to that
   * of the process. A text filters by topic: `api,session,warning`, or `!session`.
   * @default false
   */
  debug?: boolean | string | undefined;
  /**
   * Appends the log to this file instead, and implies `debug`. `invalid_option` when it cannot be written.
   */
  debugFile?: string | undefined;
  /**
   * Flags of the command line, without their dashes, and null for a flag without a value. Those that are an
   * option by another name are taken, the others refused with `invalid_option`. An option that is given
   * itself wins.
   */
  extraArgs?: ExtraArgs | undefined;
}
