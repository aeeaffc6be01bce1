/** Names that hosts look up rather than write down. */

export { NOT_CONFIGURED } from '../engine/models/unreachable-model.ts';

/** Why a session ended, as SessionEnd hooks are told. */
export const EXIT_REASONS = ['clear', 'resume', 'logout', 'prompt_input_exit', 'other'] as const;

/** The tools of this engine, as `tools`, rules and hook matchers name them. */
export const BUILTIN_TOOL_NAMES = [
  'Agent',
  'AskUserQuestion',
  'Bash',
  'Edit',
  'EnterPlanMode',
  'ExitPlanMode',
  'Glob',
  'Grep',
  'History',
  'NotebookEdit',
  'Read',
  'Skill',
  'Sleep',
  'TaskOutput',
  'TaskStop',
  'TodoWrite',
  'ToolSearch',
  'WebFetch',
  'WebSearch',
  'Write',
] as const;

/** Former names that are still understood, and the tools that they mean. */
export const LEGACY_TOOL_NAME_ALIASES: Readonly<Record<string, string>> = {
  Task: 'Agent',
  KillShell: 'TaskStop',
  BashOutput: 'TaskOutput',
  AgentOutput: 'TaskOutput',
};
