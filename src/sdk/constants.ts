/** Values that hosts compare with. */

export { NOT_CONFIGURED } from '../engine/models/unreachable-model.ts';
export { LEGACY_TOOL_NAME_ALIASES } from '../protocol/tools/former-names.ts';

/** Why a session ended, as SessionEnd hooks receive it. */
export const EXIT_REASONS = ['clear', 'resume', 'logout', 'prompt_input_exit', 'other'] as const;

/** The built-in tools, as `tools`, rules and hook matchers name them. */
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
