/**
 * Flags that programs pass rather than people: what the published clients of the protocol put on the command line.
 */
import { type Command, InvalidArgumentError, Option } from 'commander';
import { machineSettingsFile, type Options } from '../../index.ts';
import { INITIALIZE_FIELDS, type InitializeField } from '../control/launch-demands.ts';
import { appended, jsonObject, positiveInteger, wholeNumber } from './flag-values.ts';

export interface ClientFlags {
  readonly permissionPromptTool?: string;
  readonly permissionPrompts?: 'host' | 'none';
  readonly managedSettings?: string;
  readonly allowedToolsOnly?: true;
  readonly trustProject?: true;
  readonly allowDangerouslySkipPermissions?: true;
  readonly replayUserMessages?: true;
  readonly includeHookEvents?: true;
  readonly thinking?: 'adaptive' | 'enabled' | 'disabled';
  readonly thinkingDisplay?: 'summarized' | 'omitted';
  readonly maxThinkingTokens?: number;
  readonly effort?: NonNullable<Options['effort']>;
  readonly betas?: readonly string[];
  readonly fastMode?: true;
  readonly persistentRetry?: true;
  readonly toolSearch?: NonNullable<Options['toolSearch']>;
  readonly taskBudget?: number;
  readonly mcpConfig?: readonly Readonly<Record<string, unknown>>[];
  readonly strictMcpConfig?: true;
  readonly disableSlashCommands?: true;
  readonly forkSession?: true;
  /** Tell the host of each write to the session's files. */
  readonly sessionMirror?: true;
  readonly resumeSessionAt?: string;
  readonly resumeDropsTurn?: string;
  readonly carryOn?: true;
  readonly projectConfigRoot?: string;
  readonly agents?: Readonly<Record<string, unknown>>;
  readonly pluginDir?: readonly string[];
  readonly pluginDirNoMcp?: readonly string[];
  readonly agent?: string;
  readonly forwardSubagentText?: true;
  readonly maxSubagentDepth?: number;
  readonly maxSubagents?: number;
  readonly maxSubagentsPerMessage?: number;
  readonly subagentDeadlineMs?: number;
  readonly debug?: boolean | string;
  readonly debugFile?: string;
  readonly promptSuggestions?: boolean;
  /** What the first line of a host's will be, and hold. */
  readonly awaitInitialize?: true;
  readonly managedSettingsInInitialize?: true;
  readonly initializeFields?: readonly InitializeField[];
}

export function addClientFlags(program: Command): void {
  const flag = (flags: string) => new Option(flags).hideHelp();
  const add = (option: Option) => program.addOption(option);
  add(flag('--permission-prompt-tool <tool>'));
  add(flag('--permission-prompts <who>').choices(['host', 'none']));
  add(flag('--managed-settings <json>'));
  add(flag('--allowed-tools-only'));
  add(flag('--trust-project'));
  add(flag('--allow-dangerously-skip-permissions'));
  add(flag('--replay-user-messages'));
  add(flag('--include-hook-events'));
  add(flag('--thinking <how>').choices(['adaptive', 'enabled', 'disabled']));
  add(flag('--thinking-display <how>').choices(['summarized', 'omitted']));
  add(flag('--max-thinking-tokens <n>').argParser(wholeNumber));
  add(flag('--effort <level>').choices(['low', 'medium', 'high', 'xhigh', 'max']));
  add(flag('--betas <names...>').argParser(commaList));
  add(flag('--fast-mode'));
  add(flag('--persistent-retry'));
  add(flag('--tool-search <mode>').argParser(toolSearchMode));
  add(flag('--task-budget <tokens>').argParser(positiveInteger));
  add(flag('--mcp-config <configs...>').argParser(mcpConfig));
  add(flag('--strict-mcp-config'));
  add(flag('--disable-slash-commands'));
  add(flag('--fork-session'));
  add(flag('--session-mirror'));
  add(flag('--resume-session-at <uuid>'));
  add(flag('--resume-drops-turn <uuid>'));
  add(flag('--carry-on'));
  add(flag('--project-config-root <folder>'));
  add(flag('--agents <json>').argParser(jsonObject));
  add(flag('--plugin-dir <folder>').argParser(appended));
  add(flag('--plugin-dir-no-mcp <folder>').argParser(appended));
  add(flag('--agent <name>'));
  add(flag('--forward-subagent-text'));
  add(flag('--max-subagent-depth <n>').argParser(wholeNumber));
  add(flag('--max-subagents <n>').argParser(wholeNumber));
  add(flag('--max-subagents-per-message <n>').argParser(wholeNumber));
  add(flag('--subagent-deadline-ms <ms>').argParser(positiveInteger));
  add(flag('-d, --debug [filter]'));
  add(flag('--debug-file <file>'));
  add(flag('--prompt-suggestions [wanted]').argParser((word: string) => !/^(?:0|false|no|off)$/i.test(word)));
  add(flag('--await-initialize'));
  add(flag('--managed-settings-in-initialize'));
  add(flag('--initialize-fields <names>').argParser(initializeFields));
}

/** Client flags as options of `query()`. */
export function clientOptions(flags: ClientFlags): Partial<Options> {
  const { taskBudget, permissionPromptTool: asker, mcpConfig: configs = [] } = flags;
  return {
    allowDangerouslySkipPermissions: flags.allowDangerouslySkipPermissions,
    managedSettings: flags.managedSettings,
    managedSettingsFile: machineSettingsFile(process.platform),
    allowedToolsOnly: flags.allowedToolsOnly,
    permissionPrompts: flags.permissionPrompts,
    permissionPromptToolName: asker === 'stdio' ? undefined : asker,
    replayUserMessages: flags.replayUserMessages,
    includeHookEvents: flags.includeHookEvents,
    thinking: thinkingOf(flags),
    maxThinkingTokens: flags.maxThinkingTokens,
    effort: flags.effort,
    betas: flags.betas,
    fastMode: flags.fastMode,
    persistentRetry: flags.persistentRetry,
    toolSearch: flags.toolSearch,
    taskBudget: taskBudget === undefined ? undefined : { total: taskBudget },
    mcpServers: Object.assign({}, ...configs) as Options['mcpServers'],
    strictMcpConfig: flags.strictMcpConfig,
    disableSlashCommands: flags.disableSlashCommands,
    forkSession: flags.forkSession,
    resumeSessionAt: flags.resumeSessionAt,
    resumeDropsTurn: flags.resumeDropsTurn,
    carryOn: flags.carryOn,
    projectConfigRoot: flags.projectConfigRoot,
    agents: flags.agents as Options['agents'],
    plugins: pluginsOf(flags),
    agent: flags.agent,
    forwardSubagentText: flags.forwardSubagentText,
    maxSubagentDepth: flags.maxSubagentDepth,
    maxSubagents: flags.maxSubagents,
    maxSubagentsPerMessage: flags.maxSubagentsPerMessage,
    subagentDeadlineMs: flags.subagentDeadlineMs,
    debug: flags.debug,
    debugFile: flags.debugFile,
    promptSuggestions: flags.promptSuggestions,
  };
}

function pluginsOf({ pluginDir = [], pluginDirNoMcp = [] }: ClientFlags): Options['plugins'] {
  return [
    ...pluginDir.map((path) => ({ type: 'local' as const, path })),
    ...pluginDirNoMcp.map((path) => ({ type: 'local' as const, path, skipMcpDiscovery: true })),
  ];
}

function thinkingOf({
  thinking: type,
  thinkingDisplay,
  maxThinkingTokens,
}: ClientFlags): Options['thinking'] {
  const display = thinkingDisplay === undefined ? {} : { display: thinkingDisplay };
  if (type === 'disabled') return { type };
  if (type === 'adaptive') return { type, ...display };
  const budget = maxThinkingTokens ? { budgetTokens: maxThinkingTokens } : {};
  if (type === 'enabled' || ('display' in display && maxThinkingTokens))
    return { type: 'enabled', ...budget, ...display };
  return undefined;
}

function initializeFields(word: string): readonly InitializeField[] {
  return commaList(word, []).map((name) => {
    const field = INITIALIZE_FIELDS.find((known) => known === name);
    if (field === undefined) throw new InvalidArgumentError(`There is ${INITIALIZE_FIELDS.join(' and ')}.`);
    return field;
  });
}

/** What it may be, the option itself checks. */
function toolSearchMode(word: string): NonNullable<Options['toolSearch']> {
  if (word === 'true' || word === 'false') return word === 'true';
  return word as 'auto';
}

function commaList(word: string, previous: readonly string[] | undefined): readonly string[] {
  const names = word.split(',').map((name) => name.trim());
  return [...(previous ?? []), ...names.filter((name) => name !== '')];
}

/** `{"mcpServers": {…}}`, in place or in a file; the servers in it. */
function mcpConfig(
  word: string,
  previous: readonly Readonly<Record<string, unknown>>[] | undefined,
): readonly Readonly<Record<string, unknown>>[] {
  const { mcpServers } = jsonObject(word);
  if (typeof mcpServers !== 'object' || mcpServers === null)
    throw new InvalidArgumentError('Give {"mcpServers": {…}}.');
  return [...(previous ?? []), mcpServers as Readonly<Record<string, unknown>>];
}
