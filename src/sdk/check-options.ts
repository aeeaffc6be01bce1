/** Refuses options that cannot be meant, before anything is opened. */
import { TurnwrightError } from '../protocol/errors.ts';
import type { Options } from './options.ts';

const NAMES: Readonly<Record<keyof Options, true>> = {
  abortController: true,
  additionalDirectories: true,
  agent: true,
  agents: true,
  agentProgressSummaries: true,
  allowDangerouslySkipPermissions: true,
  allowedTools: true,
  betas: true,
  canUseTool: true,
  continue: true,
  cwd: true,
  debug: true,
  debugFile: true,
  disableSlashCommands: true,
  disallowedTools: true,
  effort: true,
  enableFileCheckpointing: true,
  env: true,
  extraArgs: true,
  fallbackModel: true,
  fastMode: true,
  forkSession: true,
  forwardSubagentText: true,
  hooks: true,
  includeHookEvents: true,
  includePartialMessages: true,
  loadTimeoutMs: true,
  maxBudgetUsd: true,
  maxThinkingTokens: true,
  managedSettings: true,
  managedSettingsFile: true,
  allowedToolsOnly: true,
  maxTurns: true,
  mcpServers: true,
  model: true,
  maxSubagentDepth: true,
  maxSubagents: true,
  maxSubagentsPerMessage: true,
  onElicitation: true,
  outputFormat: true,
  permissionMode: true,
  perTaskStopAffordance: true,
  permissionPrompts: true,
  permissionTimeoutMs: true,
  permissionPromptToolName: true,
  persistSession: true,
  persistentRetry: true,
  sandbox: true,
  plugins: true,
  planModeInstructions: true,
  projectConfigRoot: true,
  promptSuggestions: true,
  projectTrusted: true,
  replayUserMessages: true,
  resume: true,
  carryOn: true,
  resumeDropsTurn: true,
  resumeSessionAt: true,
  sessionId: true,
  sessionStore: true,
  sessionStoreFlush: true,
  settingSources: true,
  settings: true,
  skills: true,
  stderr: true,
  strictMcpConfig: true,
  subagentDeadlineMs: true,
  systemPrompt: true,
  taskBudget: true,
  toolAliases: true,
  toolConfig: true,
  toolSearch: true,
  thinking: true,
  title: true,
  tools: true,
  trustRecorded: true,
  verbatimPrompts: true,
  engine: true,
};

/** Throws `invalid_option`, naming the option, for a name that is not known and for options that contradict each other. */
export function checkOptions(options: Options): void {
  for (const [name, value] of Object.entries(options)) {
    if (value !== undefined && !Object.hasOwn(NAMES, name)) refuse(name, 'is not supported');
  }
  if (options.continue === true && options.resume !== undefined)
    refuse('continue', 'and "resume" exclude each other');
  if (options.forkSession === true && options.resume === undefined && options.continue !== true) {
    refuse('forkSession', 'needs "resume" or "continue"');
  }
  if (options.carryOn === true && options.resume === undefined && options.continue !== true)
    refuse('carryOn', 'needs "resume" or "continue"');
  if (options.canUseTool !== undefined && options.permissionPromptToolName !== undefined)
    refuse('permissionPromptToolName', 'and "canUseTool" exclude each other');
  if (options.resumeSessionAt !== undefined && options.resume === undefined)
    refuse('resumeSessionAt', 'needs "resume"');
  if (options.resumeDropsTurn !== undefined && options.resumeSessionAt === undefined)
    refuse('resumeDropsTurn', 'needs "resumeSessionAt"');
  if (options.outputFormat !== undefined && options.outputFormat.type !== 'json_schema') {
    refuse('outputFormat', 'must be { type: "json_schema", schema }');
  }
}

function refuse(name: string, what: string): never {
  throw new TurnwrightError('invalid_option', `The option "${name}" ${what}.`);
}
