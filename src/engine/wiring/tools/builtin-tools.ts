import type { AnyTool } from '../../../protocol/tools/tool.ts';
import type { ResolvedConfig } from '../../../settings/resolve/resolved-config.ts';
import { SKILL_TOOL } from '../../../skills/skill-tool.ts';
import { AGENT_TOOL, AGENT_TOOL_ALIAS } from '../../../subagents/agent-tool.ts';
import { HISTORY_TOOL } from '../../../tools/builtin/history.ts';
import { builtinTools } from '../../../tools/builtin/index.ts';
import { ASK_USER_QUESTION_TOOL } from '../../../tools/builtin/planning/ask-user-question.ts';
import { ENTER_PLAN_MODE_TOOL, EXIT_PLAN_MODE_TOOL } from '../../../tools/builtin/planning/plan-mode.ts';
import { SLEEP_TOOL } from '../../../tools/builtin/tasks/sleep.ts';
import { TOOL_SEARCH_TOOL } from '../../../tools/deferral.ts';
import { WEB_FETCH_TOOL } from '../../../web/web-fetch-tool.ts';
import { WEB_SEARCH_TOOL } from '../../../web/web-search-tool.ts';
import type { SessionSandbox } from '../../sandbox/session-sandbox.ts';

/** The built-in tools of these names (undefined: all), without those that were taken away, in their own order. */
export function createBuiltinTools(
  names: readonly string[] | undefined,
  {
    outputCaps,
    timeouts,
    removedTools,
    backgroundTasks,
    env,
    sandbox,
  }: Pick<ResolvedConfig, 'outputCaps' | 'timeouts' | 'removedTools' | 'backgroundTasks'> &
    Partial<Pick<ResolvedConfig, 'env'>> & { readonly sandbox?: SessionSandbox | undefined },
): readonly AnyTool[] {
  const bash = {
    background: backgroundTasks,
    path: env?.['PATH'],
    ...(sandbox !== undefined && { sandbox: { mayLeave: sandbox.mayLeave } }),
    ...(outputCaps.bashMaxChars !== undefined && { maxOutputChars: outputCaps.bashMaxChars }),
    ...(timeouts.bashDefaultMs !== undefined && { defaultTimeoutMs: timeouts.bashDefaultMs }),
    ...(timeouts.bashMaxMs !== undefined && { maxTimeoutMs: timeouts.bashMaxMs }),
  };
  return builtinTools({ bash }, (name) => names?.includes(name) !== false && !removedTools.includes(name));
}

/** Built-in tools that the engine makes itself, because they need the session. */
const SESSION_TOOLS: readonly string[] = [
  ASK_USER_QUESTION_TOOL,
  ENTER_PLAN_MODE_TOOL,
  EXIT_PLAN_MODE_TOOL,
  SLEEP_TOOL,
  WEB_FETCH_TOOL,
  WEB_SEARCH_TOOL,
];

/** Those of them that are wanted. */
export function sessionTools(
  names: readonly string[] | undefined,
  { removedTools }: Pick<ResolvedConfig, 'removedTools'>,
): readonly string[] {
  return SESSION_TOOLS.filter((name) => names?.includes(name) !== false && !removedTools.includes(name));
}

/** Of these names, those that nobody has, and the names there are. */
export function unknownBuiltinTools(names: readonly string[]): {
  readonly unknown: readonly string[];
  readonly known: readonly string[];
} {
  const plain = {
    outputCaps: { maxOutputTokens: undefined, bashMaxChars: undefined },
    timeouts: {
      headersMs: undefined,
      firstByteMs: undefined,
      bashDefaultMs: undefined,
      bashMaxMs: undefined,
      mcpStartMs: undefined,
      mcpToolMs: undefined,
      idleNotificationMs: undefined,
    },
  };
  const tools = createBuiltinTools(undefined, { ...plain, removedTools: [], backgroundTasks: true });
  return { unknown: unknownTools(names, plain), known: [...tools.map(({ name }) => name), ...SESSION_TOOLS] };
}

/** Of these names, those that no built-in tool has, whether taken away or not. */
export function unknownTools(
  names: readonly string[],
  config: Pick<ResolvedConfig, 'outputCaps' | 'timeouts'>,
): readonly string[] {
  if (names.length === 0) return names;
  const known = createBuiltinTools(undefined, { ...config, removedTools: [], backgroundTasks: true });
  const elsewhere: readonly string[] = [
    ...[HISTORY_TOOL, SKILL_TOOL, AGENT_TOOL, AGENT_TOOL_ALIAS, TOOL_SEARCH_TOOL],
    ...SESSION_TOOLS,
  ];
  return names.filter((name) => !elsewhere.includes(name) && !known.some((tool) => tool.name === name));
}

/** Whoever names the tools, or takes this one away, decides whether there are agents (`maxSubagentDepth`). */
export function wantsAgents(
  names: readonly string[] | undefined,
  { removedTools }: Pick<ResolvedConfig, 'removedTools'>,
): boolean {
  const meant = (list: readonly string[]) => list.includes(AGENT_TOOL) || list.includes(AGENT_TOOL_ALIAS);
  return (names === undefined || meant(names)) && !meant(removedTools);
}
