/** Former tool names that are still accepted, and the tools that they name. */
export const LEGACY_TOOL_NAME_ALIASES: Readonly<Record<string, string>> = {
  Task: 'Agent',
  KillShell: 'TaskStop',
  BashOutput: 'TaskOutput',
  AgentOutput: 'TaskOutput',
};
