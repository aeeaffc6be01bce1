/**
 * The one table of options, in the order of `options.ts`, which owns their types and sentences. The checks,
 * the flags of the command line, `extraArgs`, the resolver of settings and docs/options.md are made from it.
 */

import { EFFORT_LEVELS, type ThinkingConfig } from '../protocol/model/wire.ts';
import type { SessionStore } from '../protocol/session/session-store.ts';
import { PERMISSION_MODES } from '../protocol/tools/permission.ts';
import type { Tracer, TracingOptions } from '../protocol/tracing.ts';
import { autoModeKind } from './auto-mode-kind.ts';
import {
  anyText,
  callback,
  either,
  type Kind,
  names,
  namesOf,
  numberAboveZero,
  object,
  objectWith,
  oneOf,
  plugins,
  rules,
  texts,
  trueOrFalse,
  uuidText,
  wholeNumber,
} from './kinds.ts';
import { languageServers } from './language-server-options.ts';
import { SETTING_SOURCES, type ToolSearchMode } from './option-values.ts';
import type { BaseOptions } from './options.ts';
import { outputFormat } from './output-format.ts';
import { toolSearchShare } from './tool-search-mode.ts';
import { verifyConditions } from './verify-conditions.ts';

/** `T`: the type of the option; its kind accepts at least that type. */
export interface OptionRow<T = never> {
  readonly is: Kind<T>;
  /** The value without the option, its variable and its settings key. */
  readonly default?: unknown;
  /** As the help shows it. `--no-…` means false. */
  readonly flag?: string | undefined;
  /** The flag is in the help, for users. Other flags are for programs. */
  readonly listed?: true | undefined;
  /** The variable of the environment that sets it if the option is absent. */
  readonly variable?: string | undefined;
  /** The key of settings that sets it if option and variable are absent. */
  readonly setting?: string | undefined;
  /** It exists only in `query()`: the engine's configuration has the values that it is resolved to. */
  readonly queryOnly?: true | undefined;
  /** It is only valid with one of these. */
  readonly needs?: readonly OptionName[] | undefined;
  readonly excludes?: OptionName | undefined;
}

export type OptionName = keyof BaseOptions | 'mcpServers' | 'engine';

const toolSearch: Kind<ToolSearchMode> = {
  expected: 'true, false, "auto" or "auto:" and a percentage',
  accepts: (value) =>
    typeof value === 'boolean' || (typeof value === 'string' && toolSearchShare(value) !== undefined),
  read: (words) => (words === 'true' || words === 'false' ? words === 'true' : words),
};

export const OPTIONS = {
  outputFormat: {
    is: outputFormat,
    flag: '--json-schema <schema>',
    listed: true,
  },
  includePartialMessages: {
    is: trueOrFalse,
    default: false,
    flag: '--include-partial-messages',
    listed: true,
  },
  includeHookEvents: { is: trueOrFalse, default: false, flag: '--include-hook-events' },
  forwardSubagentText: { is: trueOrFalse, default: false, flag: '--forward-subagent-text' },
  replayUserMessages: { is: trueOrFalse, default: false, flag: '--replay-user-messages' },
  agentProgressSummaries: { is: trueOrFalse, default: false },
  promptSuggestions: { is: trueOrFalse, default: false, flag: '--prompt-suggestions [wanted]' },

  model: {
    is: anyText,
    flag: '--model <model>',
    listed: true,
    variable: 'ANTHROPIC_MODEL',
    setting: 'model',
  },
  provider: {
    is: anyText,
    flag: '--provider <name>',
    listed: true,
    variable: 'TURNWRIGHT_PROVIDER',
    setting: 'provider',
  },
  baseUrl: { is: anyText, flag: '--base-url <url>', listed: true, setting: 'baseUrl' },
  providers: { is: object(), setting: 'providers' },
  fallbackModel: { is: anyText, flag: '--fallback-model <models>', listed: true, setting: 'fallbackModel' },
  thinking: {
    is: objectWith<ThinkingConfig>(
      'adaptive, enabled or disabled, as { type }',
      { type: oneOf('adaptive', 'enabled', 'disabled') },
      { read: (type) => ({ type }) },
    ),
    flag: '--thinking <how>',
    setting: 'alwaysThinkingEnabled',
  },
  maxThinkingTokens: {
    queryOnly: true,
    is: wholeNumber(0),
    flag: '--max-thinking-tokens <n>',
    variable: 'MAX_THINKING_TOKENS',
  },
  effort: {
    is: oneOf(...EFFORT_LEVELS),
    flag: '--effort <level>',
    variable: 'CLAUDE_CODE_EFFORT_LEVEL',
    setting: 'effortLevel',
  },
  betas: { is: names, flag: '--betas <names...>', variable: 'ANTHROPIC_BETAS' },
  messageThreads: { is: trueOrFalse, default: false, flag: '--message-threads' },
  fastMode: {
    queryOnly: true,
    is: trueOrFalse,
    default: false,
    flag: '--fast-mode',
    variable: 'TURNWRIGHT_FAST_MODE',
    setting: 'fastMode',
  },
  persistentRetry: {
    is: trueOrFalse,
    default: false,
    flag: '--persistent-retry',
    variable: 'CLAUDE_CODE_UNATTENDED_RETRY',
    setting: 'persistentRetry',
  },
  maxTurns: { is: wholeNumber(1), flag: '--max-turns <n>', listed: true },
  maxBudgetUsd: { is: numberAboveZero, flag: '--max-budget-usd <usd>', listed: true },
  askAboveUsd: { is: numberAboveZero, flag: '--ask-above <usd>', listed: true },
  strictBudget: { is: trueOrFalse, default: false, flag: '--strict-budget', needs: ['maxBudgetUsd'] },
  taskBudget: {
    is: objectWith<{ readonly total: number }>(
      'a whole number of tokens above 0, as { total }',
      { total: wholeNumber(1) },
      { read: (words) => ({ total: wholeNumber(1).read?.(words, undefined) }) },
    ),
    flag: '--task-budget <tokens>',
  },
  verify: { is: verifyConditions, flag: '--verify <command>', listed: true, setting: 'verify' },
  systemPrompt: {
    is: either(anyText, either(texts, object())),
    flag: '--system-prompt <text>',
    listed: true,
  },

  tools: { queryOnly: true, is: either(rules, object()), flag: '--tools <names...>', listed: true },
  allowedTools: {
    queryOnly: true,
    is: rules,
    flag: '--allowedTools <rules...>',
    listed: true,
    setting: 'permissions.allow',
  },
  disallowedTools: {
    queryOnly: true,
    is: rules,
    flag: '--disallowedTools <rules...>',
    listed: true,
    setting: 'permissions.deny',
  },
  allowedToolsOnly: {
    queryOnly: true,
    is: trueOrFalse,
    default: false,
    flag: '--allowed-tools-only',
    setting: 'permissions.allowedToolsOnly',
  },
  permissionMode: {
    queryOnly: true,
    is: oneOf(...PERMISSION_MODES, 'manual'),
    default: 'default',
    flag: '--permission-mode <mode>',
    listed: true,
    setting: 'permissions.defaultMode',
  },
  autoMode: { is: autoModeKind, flag: '--judge <model>', listed: true, setting: 'autoMode' },
  allowDangerouslySkipPermissions: {
    is: trueOrFalse,
    default: false,
    flag: '--allow-dangerously-skip-permissions',
  },
  canUseTool: { is: callback },
  permissionTimeoutMs: { is: numberAboveZero },
  parkAfterMs: { is: numberAboveZero },
  permissionPrompts: {
    queryOnly: true,
    is: oneOf('host', 'none'),
    default: 'host',
    flag: '--permission-prompts <who>',
    setting: 'permissions.denyInsteadOfPrompting',
  },
  permissionPromptToolName: { is: anyText, flag: '--permission-prompt-tool <tool>', excludes: 'canUseTool' },
  additionalDirectories: {
    is: texts,
    flag: '--add-dir <folders...>',
    listed: true,
    setting: 'permissions.additionalDirectories',
  },
  sandbox: { queryOnly: true, is: object(), setting: 'sandbox' },
  toolAliases: { is: object() },
  toolConfig: { is: object(), variable: 'CLAUDE_CODE_QUESTION_PREVIEW_FORMAT' },
  toolSearch: {
    queryOnly: true,
    is: toolSearch,
    flag: '--tool-search <mode>',
    variable: 'ENABLE_TOOL_SEARCH',
    setting: 'toolSearch',
  },
  planModeInstructions: { is: anyText },

  resume: { is: anyText, flag: '-r, --resume <id>', listed: true },
  continue: { queryOnly: true, is: trueOrFalse, flag: '-c, --continue', listed: true, excludes: 'resume' },
  forkSession: { is: trueOrFalse, flag: '--fork-session', needs: ['resume', 'continue'] },
  carryOn: { queryOnly: true, is: trueOrFalse, flag: '--carry-on', needs: ['resume', 'continue'] },
  resumeSessionAt: { is: anyText, flag: '--resume-session-at <uuid>', needs: ['resume'] },
  resumeDropsTurn: { is: anyText, flag: '--resume-drops-turn <uuid>', needs: ['resumeSessionAt'] },
  sessionId: { is: uuidText, flag: '--session-id <uuid>', listed: true },
  title: { is: anyText, flag: '-n, --name <name>', listed: true },
  persistSession: { is: trueOrFalse, default: true, flag: '--no-session-persistence', listed: true },
  sessionStore: { is: object<SessionStore>() },
  sessionStoreFlush: { is: oneOf('batched', 'eager'), default: 'batched' },
  loadTimeoutMs: { is: numberAboveZero, default: 60_000 },
  enableFileCheckpointing: {
    is: trueOrFalse,
    default: false,
    variable: 'CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING',
    setting: 'fileCheckpointingEnabled',
  },
  settings: { queryOnly: true, is: either(anyText, object()), flag: '--settings <json>', listed: true },
  settingSources: { is: namesOf(...SETTING_SOURCES), flag: '--setting-sources <list>', listed: true },
  managedSettings: { queryOnly: true, is: either(anyText, object()), flag: '--managed-settings <json>' },
  managedSettingsFile: { queryOnly: true, is: anyText },
  projectConfigRoot: { queryOnly: true, is: anyText, flag: '--project-config-root <folder>' },
  projectTrusted: { queryOnly: true, is: trueOrFalse },
  trustRecorded: { queryOnly: true, is: trueOrFalse, default: false },
  onAttached: { is: callback },
  verbatimPrompts: { is: trueOrFalse, default: false },
  disableSlashCommands: { is: trueOrFalse, default: false, flag: '--disable-slash-commands' },

  agent: { queryOnly: true, is: anyText, flag: '--agent <name>' },
  agents: { queryOnly: true, is: object(), flag: '--agents <json>' },
  maxSubagentDepth: { is: wholeNumber(0), default: 1, flag: '--max-subagent-depth <n>' },
  maxSubagents: { is: wholeNumber(0), default: 200, flag: '--max-subagents <n>' },
  maxSubagentsPerMessage: { is: wholeNumber(0), default: 10, flag: '--max-subagents-per-message <n>' },
  maxBackgroundTasks: { is: wholeNumber(0), default: 32, flag: '--max-background-tasks <n>' },
  subagentDeadlineMs: { is: numberAboveZero, flag: '--subagent-deadline-ms <ms>' },
  perTaskStopAffordance: { queryOnly: true, is: trueOrFalse, default: false },

  hooks: { is: object() },
  mcpServers: { queryOnly: true, is: object() },
  strictMcpConfig: { queryOnly: true, is: trueOrFalse, default: false, flag: '--strict-mcp-config' },
  onMcpWait: { is: callback },
  onElicitation: { is: callback },
  plugins: { queryOnly: true, is: plugins, flag: '--plugin-dir <folder>' },
  languageServers: {
    queryOnly: true,
    is: languageServers,
    flag: '--language-servers [which]',
    listed: true,
    setting: 'languageServers',
  },
  skills: { queryOnly: true, is: either(oneOf('all'), texts) },

  cwd: { queryOnly: true, is: anyText },
  env: { queryOnly: true, is: object() },
  abortController: { is: object('an AbortController') },
  stderr: { is: callback },
  debug: { queryOnly: true, is: either(anyText, trueOrFalse), default: false, flag: '-d, --debug [filter]' },
  debugFile: { queryOnly: true, is: anyText, flag: '--debug-file <file>' },
  tracing: {
    queryOnly: true,
    is: objectWith<TracingOptions>('an object whose tracer has startSpan()', {
      tracer: objectWith<Tracer>('a tracer', { startSpan: callback as Kind<Tracer['startSpan']> }),
    }),
  },
  extraArgs: { queryOnly: true, is: object() },
  engine: { queryOnly: true, is: object() },
} as const satisfies { readonly [Name in keyof BaseOptions]-?: OptionRow<NonNullable<BaseOptions[Name]>> } & {
  readonly mcpServers: OptionRow;
  readonly engine: OptionRow;
};

/** The options that the engine's configuration has under the same name, with the same meaning. */
export type EngineOption = {
  [Name in OptionName]: (typeof OPTIONS)[Name] extends { readonly queryOnly: true } ? never : Name;
}[OptionName];

export const ENGINE_OPTIONS = Object.entries<OptionRow>(OPTIONS).flatMap(([name, { queryOnly }]) =>
  queryOnly === true ? [] : [name as EngineOption],
);

/** The row of a name that a caller gave; undefined: there is no such option. */
export function findOptionRow(name: string): OptionRow | undefined {
  return Object.hasOwn(OPTIONS, name) ? OPTIONS[name as OptionName] : undefined;
}

export interface OptionFlag {
  readonly name: OptionName;
  readonly row: OptionRow & { readonly flag: string };
  /** `none`: the flag means true. `optional`: it means true unless it has a value. */
  readonly takes: 'value' | 'optional' | 'none';
  /** `--no-…`: the flag means false. */
  readonly negates: boolean;
}

/** The options that a flag of the command line sets, in the order of the table. */
export function optionFlags(): readonly OptionFlag[] {
  return Object.entries<OptionRow>(OPTIONS).flatMap(([name, row]) =>
    row.flag === undefined
      ? []
      : [
          {
            name: name as OptionName,
            row: { ...row, flag: row.flag },
            takes: row.flag.includes('<') ? 'value' : row.flag.includes('[') ? 'optional' : 'none',
            negates: row.flag.startsWith('--no-'),
          },
        ],
  );
}

/** The option of a flag, which is given without its dashes. */
export function optionOfFlag(flag: string): OptionFlag | undefined {
  return optionFlags().find(({ row }) => longFlag(row.flag) === `--${flag}`);
}

/** `--model` of `-m, --model <model>`. */
export function longFlag(flag: string): string {
  return /--[\w-]+/.exec(flag)?.[0] ?? flag;
}
