/**
 * The options of `query()`: their types and what they mean. `table.ts` holds how each one is checked, and its
 * flag, its variable and its settings key. The first sentence of a comment is the option's sentence in
 * docs/options.md and in `turnwright --help`, the headings are theirs too, and `npm run docs` writes both.
 */

import type { PromptAttachment } from '../protocol/model/attachment.ts';
import type { ProviderConfig } from '../protocol/model/provider-config.ts';
import type { EffortLevel, ThinkingConfig } from '../protocol/model/wire.ts';
import type { SessionStore, SessionStoreFlush } from '../protocol/session/session-store.ts';
import type { VerifyConditions } from '../protocol/session/verification.ts';
import type { AutoMode } from '../protocol/tools/auto-mode.ts';
import type { CanUseTool } from '../protocol/tools/can-use-tool.ts';
import type { HookEvent } from '../protocol/tools/hook.ts';
import type { HookCallbackMatcher } from '../protocol/tools/hook-callback.ts';
import type { LanguageServersOption } from '../protocol/tools/language.ts';
import type { ElicitationAnswer, ElicitationRequest } from '../protocol/tools/mcp.ts';
import type { PermissionMode } from '../protocol/tools/permission.ts';
import type { PluginConfig } from '../protocol/tools/plugin.ts';
import type { TracingOptions } from '../protocol/tracing.ts';
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
 * All options but two whose types belong to other rooms, `mcpServers` and `engine`: `sdk/query-options.ts`.
 */
export interface BaseOptions<Output = unknown> {
  // Output

  /**
   * The answer must be a value of this schema, which the result carries as `structured_output`. A schema of
   * zod 3 or 4 or of another library with the standard interface also checks the value and gives it its type;
   * a JSON Schema, alone or as `{ type: 'json_schema', schema }`, leaves it `unknown`.
   *
   * @example
   * ```ts
   * const options: Options = { outputFormat: z.object({ verdict: z.enum(['merge', 'change']) }) };
   * ```
   */
  outputFormat?: OutputFormat<Output> | undefined;
  /**
   * Emits the raw stream events of the model too, as `stream_event` messages.
   * @default false
   *
   * @example
   * ```ts
   * const options: Options = { includePartialMessages: true };
   * for await (const message of query({ prompt: 'Tell a story.', options })) {
   *   if (message.type !== 'stream_event' || message.event.type !== 'content_block_delta') continue;
   *   if (message.event.delta.type === 'text_delta') process.stdout.write(message.event.delta.text);
   * }
   * ```
   */
  includePartialMessages?: boolean | undefined;
  /**
   * Emits `hook_started`, `hook_progress` and `hook_response` for hooks of every event; those of SessionStart
   * are always emitted.
   * @default false
   *
   * @example
   * ```ts
   * const options: Options = { includeHookEvents: true };
   * for await (const message of query({ prompt: 'Run the tests.', options })) {
   *   if (message.type === 'system' && message.subtype === 'hook_response') console.log(message.hook_name);
   * }
   * ```
   */
  includeHookEvents?: boolean | undefined;
  /**
   * Emits the text and thinking of subagents too, not only their tool calls.
   * @default false
   *
   * @example
   * ```ts
   * const options: Options = { forwardSubagentText: true };
   * for await (const message of query({ prompt: 'Look into src and test at once.', options })) {
   *   if (message.type === 'assistant' && message.agent_id !== undefined) console.log(message.subagent_type);
   * }
   * ```
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
   *
   * @example
   * ```ts
   * const options: Options = { agentProgressSummaries: true };
   * for await (const message of query({ prompt: 'Look into src and test at once.', options })) {
   *   if (message.type === 'system' && message.subtype === 'task_progress') console.log(message.summary);
   * }
   * ```
   */
  agentProgressSummaries?: boolean | undefined;
  /**
   * Emits a `prompt_suggestion` after a turn: what the person will likely ask next. A small model writes it;
   * there is none after the first turn, after a failed one and in plan mode, and the next prompt cancels it.
   * @default false
   *
   * @example
   * ```ts
   * const options: Options = { promptSuggestions: true };
   * for await (const message of query({ prompt: 'Fix the failing test.', options })) {
   *   if (message.type === 'prompt_suggestion') console.log(message.suggestion);
   * }
   * ```
   */
  promptSuggestions?: boolean | undefined;

  // Model and limits

  /**
   * Id of the model, or an alias: `opus`, `sonnet`, `haiku`, `fable`; default `claude-opus-5-5`.
   * @default opus
   *
   * @example
   * ```ts
   * const options: Options = { model: 'sonnet' };
   * ```
   */
  model?: string | undefined;
  /**
   * Whose model is asked: `anthropic`, `bedrock`, `vertex`, `foundry`, `openai-compatible`, `ollama`,
   * `lmstudio`, `llamacpp`, `vllm`, or a name of `providers`. A model of another one is named with it:
   * `ollama:qwen3:8b`.
   * @default anthropic
   *
   * @example
   * ```ts
   * const options: Options = { provider: 'ollama', model: 'qwen3:8b' };
   * ```
   */
  provider?: string | undefined;
  /**
   * Address of the provider's API, for `anthropic` and `openai-compatible`.
   *
   * @example
   * ```ts
   * const options: Options = {
   *   provider: 'openai-compatible',
   *   baseUrl: 'http://localhost:8000/v1',
   *   model: 'qwen3',
   * };
   * ```
   */
  baseUrl?: string | undefined;
  /**
   * Further providers by name: how each is reached.
   *
   * @example
   * ```ts
   * const options: Options = {
   *   providers: { local: { type: 'openai-compatible', baseUrl: 'http://localhost:8000/v1' } },
   *   model: 'local:qwen3',
   * };
   * ```
   */
  providers?: Readonly<Record<string, ProviderConfig>> | undefined;
  /**
   * Models to try in order, separated by commas, when the model is overloaded, stalls or refuses, has no
   * quota or credit left, or is gone.
   *
   * @example
   * ```ts
   * const options: Options = { model: 'opus', fallbackModel: 'sonnet,haiku' };
   * ```
   */
  fallbackModel?: string | undefined;
  /**
   * Whether and how the model thinks. It wins over `maxThinkingTokens`.
   * @default what the model does best: adaptive, or a budget
   *
   * @example
   * ```ts
   * const options: Options = { thinking: { type: 'enabled', budgetTokens: 8_000 } };
   * ```
   */
  thinking?: ThinkingConfig | undefined;
  /**
   * Budget for thinking in tokens; 0 turns thinking off.
   *
   * @example
   * ```ts
   * const options: Options = { maxThinkingTokens: 0 };
   * ```
   */
  maxThinkingTokens?: number | undefined;
  /**
   * How much effort the model spends on an answer.
   * @default the model's own
   *
   * @example
   * ```ts
   * const options: Options = { effort: 'low' };
   * ```
   */
  effort?: EffortLevel | undefined;
  /**
   * Names of beta features, sent in the `anthropic-beta` header of each request.
   *
   * @example
   * ```ts
   * const options: Options = { betas: ['context-1m-2025-08-07'] };
   * ```
   */
  betas?: readonly string[] | undefined;
  /**
   * Lets Anthropic's API hold the conversation (a beta): a request sends only what is new, which the API then
   * answers as it would the whole. Whatever it does not hold as it would be sent is sent whole. Other
   * endpoints get whole requests.
   * @default false
   */
  messageThreads?: boolean | undefined;
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
   *
   * @example
   * ```ts
   * const options: Options = { maxTurns: 20 };
   * ```
   */
  maxTurns?: number | undefined;
  /**
   * Most that the session may spend, in USD. Every call counts, those of subagents and helper models
   * included, and once it is spent the result is `error_max_budget_usd`.
   * @default unlimited
   *
   * @example
   * ```ts
   * const options: Options = { maxBudgetUsd: 0.5 };
   * for await (const message of query({ prompt: 'Fix the failing test.', options })) {
   *   if (message.type === 'result') console.log(message.subtype, message.total_cost_usd);
   * }
   * ```
   */
  maxBudgetUsd?: number | undefined;
  /**
   * Keeps `maxBudgetUsd` also in the worst case: a model call is made only if the budget can pay the most
   * that it may cost, beside the calls of agents and helpers that are in flight. Otherwise the run ends with
   * `error_max_budget_usd` before the call. Requests are not sent in fast mode, whose price is not known.
   * @default false
   *
   * @example
   * ```ts
   * const options: Options = { maxBudgetUsd: 0.5, strictBudget: true };
   * ```
   */
  strictBudget?: boolean | undefined;
  /**
   * USD above which a person is asked whether a run shall go on: before it begins, when runs like it came to
   * more, and while it runs, whenever it will probably come to more than was agreed to. The question comes as
   * an AskUserQuestion to `canUseTool`; without it, or when the answer is no, the run ends before the next
   * request, with `error_max_budget_usd`. A run is one prompt, its agents and helpers included. Requests are
   * not sent in fast mode. Default: there is no question.
   *
   * @example
   * ```ts
   * const options: Options = { askAboveUsd: 0.5 };
   * ```
   */
  askAboveUsd?: number | undefined;
  /**
   * Tokens for the whole task, which are sent to the model so that it paces itself.
   *
   * @example
   * ```ts
   * const options: Options = { taskBudget: { total: 200_000 } };
   * ```
   */
  taskBudget?: { readonly total: number } | undefined;
  /**
   * What must hold when the model says that it is done: commands that must end with exit code 0, files that
   * must exist or must not change, JSON files that must fit a schema, and a judge. What does not hold goes
   * back to the model, three times unless `attempts` says otherwise; then the result is an error with
   * `terminal_reason: "unverified"`. `verification` of the result has the proofs. In place of those of
   * settings; `{}` for none.
   * @default none
   *
   * @example
   * ```ts
   * const options: Options = { verify: { commands: ['npm test'], unchanged: ['test'] } };
   * ```
   */
  verify?: VerifyConditions | undefined;
  /**
   * The system prompt: a text, several texts, or the preset with something appended.
   * @default none; the command line sends the preset
   *
   * @example
   * ```ts
   * const short: Options = { systemPrompt: 'You answer questions about this repository, briefly.' };
   * const more: Options = {
   *   systemPrompt: { type: 'preset', preset: 'turnwright', append: 'Answer in French.' },
   * };
   * ```
   */
  systemPrompt?: string | readonly string[] | PresetPrompt | CustomPrompt | undefined;

  // Tools and permissions

  /**
   * The built-in tools that exist: names, `[]` for none, or the preset for all.
   * @default all
   *
   * @example
   * ```ts
   * const reads: Options = { tools: ['Read', 'Grep', 'Glob'] };
   * const none: Options = { tools: [] };
   * ```
   */
  tools?:
    | readonly string[]
    | { readonly type: 'preset'; readonly preset: 'turnwright' | 'claude_code' }
    | undefined;
  /**
   * Rules for calls that run without asking, as `Tool` or `Tool(specifier)`.
   *
   * @example
   * ```ts
   * const options: Options = { allowedTools: ['Read', 'Bash(npm test:*)', 'mcp__weather__today'] };
   * ```
   */
  allowedTools?: readonly string[] | undefined;
  /**
   * Rules for calls that never run. A bare name also hides the tool from the model.
   *
   * @example
   * ```ts
   * const options: Options = { disallowedTools: ['WebFetch', 'Bash(git push:*)', 'Read(.env)'] };
   * ```
   */
  disallowedTools?: readonly string[] | undefined;
  /**
   * Denies what no allow rule names, in every mode, `bypassPermissions` included.
   * @default false
   *
   * @example
   * ```ts
   * const options: Options = { allowedToolsOnly: true, allowedTools: ['Read', 'Grep'] };
   * ```
   */
  allowedToolsOnly?: boolean | undefined;
  /**
   * Who decides about calls that no rule covers. `auto`: a model judges them within bounds, if `autoMode`
   * names one; else it means `default`, as `manual` does: the host is asked.
   * @default default
   *
   * @example
   * ```ts
   * const options: Options = { permissionMode: 'acceptEdits' };
   * ```
   */
  permissionMode?: PermissionMode | 'manual' | undefined;
  /**
   * The judge of the permission mode `auto`, and its limits: a model that answers questions within bounds, in
   * the place of a person.
   *
   * @example
   * ```ts
   * const options: Options = { permissionMode: 'auto', autoMode: { judge: 'haiku', maxUsd: 0.2 } };
   * ```
   */
  autoMode?: AutoMode | undefined;
  /**
   * Lets the session switch to `bypassPermissions` later. Starting in that mode implies it.
   * @default false
   */
  allowDangerouslySkipPermissions?: boolean | undefined;
  /**
   * Called when neither rules nor mode decide about a call. Without it such calls are denied.
   *
   * @example
   * ```ts
   * const options: Options = {
   *   async canUseTool(toolName, input, { description }) {
   *     if (toolName === 'Bash') return { behavior: 'deny', message: 'No commands here.' };
   *     console.log(`${toolName}: ${description}`);
   *     return { behavior: 'allow', updatedInput: input };
   *   },
   * };
   * ```
   */
  canUseTool?: CanUseTool | undefined;
  /**
   * Time that `canUseTool` has for an answer, in ms; then the call is denied.
   * @default unlimited
   *
   * @example
   * ```ts
   * const options: Options = { permissionTimeoutMs: 60_000 };
   * ```
   */
  permissionTimeoutMs?: number | undefined;
  /**
   * How long a run waits for a question to be answered, for a rate limit to pass or in the Sleep tool, in ms.
   * A longer wait ends the run with `system/session_parked` in place of a result; a later `resume` goes on.
   * @default unlimited
   *
   * @example
   * ```ts
   * const options: Options = { parkAfterMs: 30_000 };
   * for await (const message of query({ prompt: 'Deploy it.', options })) {
   *   // Later, with the answer at hand: query({ options: { resume: message.session_id, canUseTool } })
   *   if (message.type === 'system' && message.subtype === 'session_parked') console.log(message.session_id);
   * }
   * ```
   */
  parkAfterMs?: number | undefined;
  /**
   * Whether the host is asked about calls; with `none`, calls that would be asked about are denied.
   * @default host
   *
   * @example
   * ```ts
   * const options: Options = { permissionPrompts: 'none' };
   * ```
   */
  permissionPrompts?: 'host' | 'none' | undefined;
  /**
   * An MCP tool, `mcp__server__tool`, that answers permission questions in place of `canUseTool`.
   *
   * @example
   * ```ts
   * const options: Options = {
   *   mcpServers: { desk: { command: 'desk-server' } },
   *   permissionPromptToolName: 'mcp__desk__approve',
   * };
   * ```
   */
  permissionPromptToolName?: string | undefined;
  /**
   * Folders that tools may use besides `cwd`.
   *
   * @example
   * ```ts
   * const options: Options = { cwd: '/work/app', additionalDirectories: ['/work/library'] };
   * ```
   */
  additionalDirectories?: readonly string[] | undefined;
  /**
   * Runs shell commands isolated by the system, see docs/sandbox.md. With `enabled: true` the session refuses
   * to start where isolation is unavailable, unless `failIfUnavailable` is false.
   *
   * @example
   * ```ts
   * const options: Options = {
   *   sandbox: { enabled: true, network: { allowedDomains: ['example.com'] } },
   * };
   * ```
   */
  sandbox?: { enabled?: boolean; failIfUnavailable?: boolean; [more: string]: unknown } | undefined;
  /**
   * Runs the tools on the right for calls of the names on the left, one hop.
   *
   * @example
   * ```ts
   * const options: Options = { toolAliases: { Bash: 'mcp__container__run' } };
   * ```
   */
  toolAliases?: Readonly<Record<string, string>> | undefined;
  /**
   * Settings of single built-in tools.
   *
   * @example
   * ```ts
   * const options: Options = { toolConfig: { askUserQuestion: { previewFormat: 'html' } } };
   * ```
   */
  toolConfig?: ToolConfig | undefined;
  /**
   * When tools of MCP servers are left out of requests until the model searches for them: `true` always,
   * `false` never, `auto` when they would take more than a tenth of the context window, `auto:5` when more
   * than 5 percent of it.
   * @default true for Claude models, auto for others
   *
   * @example
   * ```ts
   * const options: Options = { toolSearch: 'auto:5' };
   * ```
   */
  toolSearch?: ToolSearchMode | undefined;
  /**
   * How to plan in plan mode, in place of the built-in instructions.
   *
   * @example
   * ```ts
   * const options: Options = {
   *   permissionMode: 'plan',
   *   planModeInstructions: 'Write the plan as numbered steps.',
   * };
   * ```
   */
  planModeInstructions?: string | undefined;

  // Session and settings

  /**
   * Id of the session to resume.
   *
   * @example
   * ```ts
   * const options: Options = { resume: sessionId };
   * ```
   */
  resume?: string | undefined;
  /**
   * Resumes the newest session of `cwd`, or begins a new one when there is none.
   *
   * @example
   * ```ts
   * const options: Options = { continue: true };
   * ```
   */
  continue?: boolean | undefined;
  /**
   * Resumes under a new id and leaves the old session as it is.
   *
   * @example
   * ```ts
   * const options: Options = { resume: sessionId, forkSession: true };
   * ```
   */
  forkSession?: boolean | undefined;
  /**
   * Finishes the interrupted turn of the resumed session first. Prompts that arrive meanwhile join it, as
   * they join any running turn.
   *
   * @example
   * ```ts
   * // After a crash: first the turn that it interrupted, then this prompt.
   * const options: Options = { resume: sessionId, carryOn: true };
   * for await (const message of query({ prompt: 'And then commit it.', options })) console.log(message.type);
   * ```
   */
  carryOn?: boolean | undefined;
  /**
   * Uuid of the last message that counts when resuming. What came after it is never sent again.
   *
   * @example
   * ```ts
   * // Back to before the last prompt, in a copy of the session.
   * const last = (await sessionPrompts(sessionId)).at(-1);
   * const options: Options = { resume: sessionId, resumeSessionAt: last?.resumeAt, forkSession: true };
   * ```
   */
  resumeSessionAt?: string | undefined;
  /**
   * Uuid of the prompt whose turn `resumeSessionAt` is meant to drop. When anything else would be lost the
   * resume is refused, and nothing is written.
   *
   * @example
   * ```ts
   * // Back to before the last prompt, provided that only its turn is lost.
   * const last = (await sessionPrompts(sessionId)).at(-1);
   * const options: Options = {
   *   resume: sessionId,
   *   resumeSessionAt: last?.resumeAt,
   *   resumeDropsTurn: last?.uuid,
   * };
   * ```
   */
  resumeDropsTurn?: string | undefined;
  /**
   * Id of the new session, or of the fork; a UUID.
   * @default a fresh one
   *
   * @example
   * ```ts
   * const options: Options = { sessionId: crypto.randomUUID() };
   * ```
   */
  sessionId?: string | undefined;
  /**
   * Title of the new session.
   *
   * @example
   * ```ts
   * const options: Options = { title: 'Release 2.0' };
   * ```
   */
  title?: string | undefined;
  /**
   * Whether the session is written to disk; one that is not cannot be resumed.
   * @default true
   *
   * @example
   * ```ts
   * const options: Options = { persistSession: false };
   * ```
   */
  persistSession?: boolean | undefined;
  /**
   * Receives a copy of the session, entry by entry, after the session file; with `resume` or `continue` the
   * session is read from it. What it rejects three times is sent later, with a `mirror_error` message.
   *
   * @example
   * ```ts
   * const options: Options = { sessionStore: new InMemorySessionStore() };
   * ```
   */
  sessionStore?: SessionStore | undefined;
  /**
   * When entries are handed to `sessionStore`: `batched` about every 100 ms and before each result, `eager`
   * at once.
   * @default batched
   *
   * @example
   * ```ts
   * const options: Options = { sessionStore: new InMemorySessionStore(), sessionStoreFlush: 'eager' };
   * ```
   */
  sessionStoreFlush?: SessionStoreFlush | undefined;
  /**
   * Limit of each read of `sessionStore`, in ms.
   * @default 60000
   *
   * @example
   * ```ts
   * const options: Options = { sessionStore: new InMemorySessionStore(), loadTimeoutMs: 5_000 };
   * ```
   */
  loadTimeoutMs?: number | undefined;
  /**
   * Keeps what Write, Edit and NotebookEdit change, beside the session, for `rewindFiles()`.
   * @default false
   *
   * @example
   * ```ts
   * const options: Options = { enableFileCheckpointing: true, sessionId };
   * const running = query({ prompt: 'Rename the module.', options });
   * for await (const message of running) {
   *   const [first] = message.type === 'result' ? await sessionPrompts(sessionId) : [];
   *   if (first !== undefined) await running.rewindFiles(first.uuid);
   * }
   * ```
   */
  enableFileCheckpointing?: boolean | undefined;
  /**
   * Settings above all settings files: JSON, a path to a file, or the value.
   *
   * @example
   * ```ts
   * const options: Options = { settings: { permissions: { deny: ['Read(.env)'] } } };
   * ```
   */
  settings?: string | Readonly<Record<string, unknown>> | undefined;
  /**
   * Settings files to read, of user, project and local. `project` also brings CLAUDE.md and AGENTS.md.
   * @default none; the command line reads all
   *
   * @example
   * ```ts
   * const options: Options = { settingSources: ['project'] };
   * ```
   */
  settingSources?: readonly SettingSource[] | undefined;
  /**
   * Policy of the host: settings as a value, JSON or a path to a file, of which only restrictions take
   * effect.
   *
   * @example
   * ```ts
   * const options: Options = { managedSettings: { permissions: { deny: ['WebFetch'] } } };
   * ```
   */
  managedSettings?: string | Readonly<Record<string, unknown>> | undefined;
  /**
   * Policy file of the machine, read if it exists.
   * @default none; the command line names the system's own place
   *
   * @example
   * ```ts
   * const options: Options = { managedSettingsFile: '/etc/turnwright/managed-settings.json' };
   * ```
   */
  managedSettingsFile?: string | undefined;
  /**
   * Folder in which the settings of the project are looked for.
   * @default cwd
   *
   * @example
   * ```ts
   * const options: Options = { cwd: '/work/app/packages/web', projectConfigRoot: '/work/app' };
   * ```
   */
  projectConfigRoot?: string | undefined;
  /**
   * Whether settings of the project (`project`, `local`) may do more than restrict. When false, what they
   * would allow or run is ignored. When absent, naming the source agrees to all but `permissions.allow` of
   * the shared file and to what skills of folders below allow: that takes true here, or a folder that the
   * user has trusted (`turnwright trust`).
   * @default by the sources named; the command line sends false
   *
   * @example
   * ```ts
   * const options: Options = { settingSources: ['user', 'project'], projectTrusted: false };
   * ```
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
   *
   * @example
   * ```ts
   * const options: Options = { verbatimPrompts: true };
   * ```
   */
  verbatimPrompts?: boolean | undefined;
  /**
   * Called when a prompt has named files, folders, agents (`@agent-name`) or resources of MCP servers
   * (`@server:uri`), with each that was brought along, and each that could not be, with the reason.
   *
   * @example
   * ```ts
   * const options: Options = {
   *   onAttached(attached) {
   *     for (const each of attached) console.log(JSON.stringify(each));
   *   },
   * };
   * ```
   */
  onAttached?: ((attached: readonly PromptAttachment[]) => void) | undefined;
  /**
   * Turns slash commands off: `/name` is a prompt like any other.
   * @default false
   */
  disableSlashCommands?: boolean | undefined;

  // Agents

  /**
   * The agent that the main thread is: its prompt, its tools, its model.
   *
   * @example
   * ```ts
   * const options: Options = {
   *   agents: { reviewer: { description: 'Reviews changes.', prompt: 'You review changes.' } },
   *   agent: 'reviewer',
   * };
   * ```
   */
  agent?: string | undefined;
  /**
   * Agents that the model may start, by name. They win over those of files and the built-in ones.
   *
   * @example
   * ```ts
   * const options: Options = {
   *   agents: {
   *     reviewer: {
   *       description: 'Reviews a change before it is committed.',
   *       prompt: 'You review changes for mistakes. Answer with a list.',
   *       tools: ['Read', 'Grep'],
   *       model: 'haiku',
   *     },
   *   },
   * };
   * ```
   */
  agents?: Readonly<Record<string, AgentOption>> | undefined;
  /**
   * How deep subagents may nest; 0 turns them off. With 1 the main agent starts subagents, and those start
   * none.
   * @default 1
   *
   * @example
   * ```ts
   * const options: Options = { maxSubagentDepth: 0 };
   * ```
   */
  maxSubagentDepth?: number | undefined;
  /**
   * Most subagents of one session, at every depth.
   * @default 200
   *
   * @example
   * ```ts
   * const options: Options = { maxSubagents: 20 };
   * ```
   */
  maxSubagents?: number | undefined;
  /**
   * Most subagents that one answer of the model may start.
   * @default 10
   *
   * @example
   * ```ts
   * const options: Options = { maxSubagentsPerMessage: 3 };
   * ```
   */
  maxSubagentsPerMessage?: number | undefined;
  /**
   * Most commands and agents that run in the background of one session at the same time; 0: none. One more is
   * refused, and a command that would go on there at its time limit is stopped.
   * @default 32
   *
   * @example
   * ```ts
   * const options: Options = { maxBackgroundTasks: 4 };
   * ```
   */
  maxBackgroundTasks?: number | undefined;
  /**
   * Time after which a subagent is ended and its output so far delivered, in ms.
   * @default unlimited
   *
   * @example
   * ```ts
   * const options: Options = { subagentDeadlineMs: 10 * 60_000 };
   * ```
   */
  subagentDeadlineMs?: number | undefined;
  /**
   * The host offers `stopTask` for single tasks: `interrupt()` then spares those in the background while
   * input is open.
   * @default false
   */
  perTaskStopAffordance?: boolean | undefined;

  // Extensions

  /**
   * Callbacks for points of a run, by event.
   *
   * @example
   * ```ts
   * const noSecrets: HookCallback = async ({ tool_input }) =>
   *   JSON.stringify(tool_input).includes('.env') ? { decision: 'block', reason: 'Not the secrets.' } : {};
   * const options: Options = { hooks: { PreToolUse: [{ matcher: 'Read|Bash', hooks: [noSecrets] }] } };
   * ```
   */
  hooks?: Partial<Record<HookEvent, readonly HookCallbackMatcher[]>> | undefined;
  /**
   * Uses the servers of `mcpServers` alone, none of a project's `.mcp.json` or of the user.
   * @default false
   */
  strictMcpConfig?: boolean | undefined;
  /**
   * Called while the first request waits for MCP servers that are not ready: with their names whenever these
   * change, and without any in the end. `goOn` ends the wait; the servers join when they are ready.
   *
   * @example
   * ```ts
   * const options: Options = {
   *   onMcpWait({ servers, goOn }) {
   *     if (servers.length > 0) console.log(`Waiting for ${servers.join(', ')} …`);
   *     if (servers.every((name) => name === 'search')) goOn();
   *   },
   * };
   * ```
   */
  onMcpWait?: ((waiting: { readonly servers: readonly string[]; goOn(): void }) => void) | undefined;
  /**
   * Called when an MCP server asks the user something. Without it such questions are declined.
   *
   * @example
   * ```ts
   * const options: Options = {
   *   async onElicitation({ serverName, message }) {
   *     console.log(`${serverName} asks: ${message}`);
   *     return { action: 'accept', content: { branch: 'main' } };
   *   },
   * };
   * ```
   */
  onElicitation?:
    | ((
        request: ElicitationRequest,
        options: { signal: AbortSignal; askId: string },
      ) => Promise<ElicitationAnswer>)
    | undefined;
  /**
   * Folders with skills, commands, agents, hooks and MCP servers, under names that begin with the plugin's. A
   * broken one is named in `system/init` and harms no other.
   *
   * @example
   * ```ts
   * const options: Options = { plugins: [{ type: 'local', path: './plugins/review' }] };
   * ```
   */
  plugins?: readonly PluginConfig[] | undefined;
  /**
   * Language servers, which see errors at once: what is new since an edit is in its result, and the tool LSP
   * asks them about code. `true`: well-known ones that are installed in the project or on `PATH`. An object
   * names others. `false`: none, those of plugins included. In a folder that is not trusted none is started.
   * @default those of plugins
   *
   * @example
   * ```ts
   * const go = { command: 'gopls', extensionToLanguage: { '.go': 'go' } };
   * const options: Options = { languageServers: { servers: { go }, waitMs: 1_000 } };
   * ```
   */
  languageServers?: LanguageServersOption | undefined;
  /**
   * Skills that the model may use: names (`pdf`, `plugin:pdf`), or all that `settingSources` and plugins
   * bring. The others stay commands that a user may call. Named skills also bring the Skill tool where
   * `tools` does not.
   * @default all
   *
   * @example
   * ```ts
   * const options: Options = { skills: ['pdf'], settingSources: ['project'] };
   * ```
   */
  skills?: 'all' | readonly string[] | undefined;

  // Process

  /**
   * Working folder of the session.
   * @default that of the process
   *
   * @example
   * ```ts
   * const options: Options = { cwd: '/work/app' };
   * ```
   */
  cwd?: string | undefined;
  /**
   * The whole environment: for child processes of tools, and for keys and addresses of the model.
   * @default that of the process
   *
   * @example
   * ```ts
   * const options: Options = { env: { ...process.env, CI: '1' } };
   * ```
   */
  env?: Readonly<Record<string, string | undefined>> | undefined;
  /**
   * Ends the run when it is aborted; the iterator then throws AbortError.
   *
   * @example
   * ```ts
   * const abortController = new AbortController();
   * process.once('SIGINT', () => abortController.abort());
   * const options: Options = { abortController };
   * ```
   */
  abortController?: AbortController | undefined;
  /**
   * Called with each warning, one line.
   *
   * @example
   * ```ts
   * const options: Options = { stderr: (line) => console.warn(line) };
   * ```
   */
  stderr?: ((line: string) => void) | undefined;
  /**
   * Writes a log of what the session does, never of what is said in it, line by line to `stderr`, or to that
   * of the process. A text filters by topic: `api,session,warning`, or `!session`.
   * @default false
   *
   * @example
   * ```ts
   * const options: Options = { debug: 'api,session', stderr: (line) => console.warn(line) };
   * ```
   */
  debug?: boolean | string | undefined;
  /**
   * Appends the log to this file instead, and implies `debug`. `invalid_option` when it cannot be written.
   *
   * @example
   * ```ts
   * const options: Options = { debugFile: '/tmp/turnwright.log' };
   * ```
   */
  debugFile?: string | undefined;
  /**
   * A tracer of OpenTelemetry, or any object of its shape. Each submission becomes a span with children:
   * requests to the model, tool calls, hooks and subagents, without any of their texts. `context`: what
   * submissions are started in, by default what is active when `query()` is called. See docs/tracing.md.
   *
   * @example
   * ```ts
   * // With `trace` of `@opentelemetry/api`: tracedBy(trace.getTracer('my-app'))
   * const tracedBy = (tracer: Tracer): Options => ({ tracing: { tracer } });
   * ```
   */
  tracing?: TracingOptions | undefined;
  /**
   * Flags of the command line, without their dashes, and null for a flag without a value. Those that are an
   * option by another name are taken, the others refused with `invalid_option`. An option that is given
   * itself wins.
   *
   * @example
   * ```ts
   * const options: Options = { extraArgs: { 'max-turns': '5', 'strict-mcp-config': null } };
   * ```
   */
  extraArgs?: ExtraArgs | undefined;
}
