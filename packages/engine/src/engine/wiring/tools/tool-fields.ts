/** The built-in tools of a session. */

import { extended } from '@turnwright/base/collections/extended.ts';
import { lazily } from '@turnwright/base/collections/made-once.ts';
import { asksAnthropic } from '../../../model/catalog/model-info.ts';
import { TOOL_SEARCH_TOOL, toolFacts, toolsMadeOf } from '../../../protocol/tools/builtin-tools.ts';
import type { Resolution } from '../../../settings/resolve/resolution.ts';
import { AGENT_TOOL, AGENT_TOOL_ALIAS } from '../../../subagents/agent-tool.ts';
import { SEND_MESSAGE_TOOL } from '../../../subagents/send-message-tool.ts';
import { HISTORY_TOOL } from '../../../tools/builtin/history.ts';
import { builtinTools } from '../../../tools/builtin/index.ts';
import { SLEEP_TOOL } from '../../../tools/builtin/tasks/sleep.ts';
import type { QueryEngineConfig } from '../../config.ts';
import type { SessionSandbox } from '../../sandbox/session-sandbox.ts';

/** Names of built-in tools that the caller chose; undefined: all of them. */
type ToolNames = readonly string[] | undefined;
type Removed = Pick<Resolution, 'removedTools'>;

/** The fields of the configuration that the choice of built-in tools decides about. */
export function toolFields(
  names: ToolNames,
  resolved: Resolution,
  sandbox: SessionSandbox | undefined,
): Pick<
  QueryEngineConfig,
  'agentMessages' | 'compaction' | 'deferToolsAbove' | 'maxSubagentDepth' | 'promptsWhileWorking'
> &
  Required<Pick<QueryEngineConfig, 'sessionTools' | 'tools'>> {
  const { bash, config, removedTools } = resolved;
  const { backgroundTasks: background, childEnv, compaction } = config;
  const isWanted = (name: string) => names?.includes(name) !== false && !removedTools.includes(name);
  return {
    tools: builtinTools({ bash: extended(bash, { background, path: childEnv['PATH'], sandbox }) }, isWanted),
    sessionTools: SESSION_TOOLS.filter(isWanted),
    deferToolsAbove: resolveDeferral(names, resolved),
    compaction: isWanted(HISTORY_TOOL) ? compaction : { ...compaction, history: false },
    // A session that names Sleep wants it.
    ...(names?.includes(SLEEP_TOOL) && { promptsWhileWorking: true }),
    ...(!wantsAgents(names, resolved) && { maxSubagentDepth: 0 }),
    ...(!isWanted(SEND_MESSAGE_TOOL) && { agentMessages: false }),
  };
}

/** Built-in tools that the engine makes, because they need the session. */
const SESSION_TOOLS = toolsMadeOf('session');

/** Of these names, those of no built-in tool, and the names there are. */
export function unknownBuiltinTools(names: readonly string[]): {
  readonly unknown: readonly string[];
  readonly known: readonly string[];
} {
  return { unknown: unknownTools(names), known: [...builtinNames(), ...SESSION_TOOLS] };
}

/** Of these names, those that no built-in tool has, whether it was removed or not. */
export function unknownTools(names: readonly string[]): readonly string[] {
  if (names.length === 0) return names;
  return names.filter((name) => !everyToolName().has(name));
}

/** Of all built-in tools that a session can have, former names included. */
export const everyToolName = lazily(
  () =>
    new Set([
      ...builtinTools().flatMap(({ name, aliases = [] }) => [name, ...aliases]),
      ...SESSION_TOOLS,
      ...toolsMadeOf('part').flatMap((name) => [name, ...(toolFacts(name).formerNames ?? [])]),
    ]),
);

const builtinNames = () => builtinTools().map(({ name }) => name);

/** A list of tools without Agent means that there are no agents, and so does removing it. */
function wantsAgents(names: ToolNames, { removedTools }: Removed): boolean {
  const meant = (list: readonly string[]) => list.includes(AGENT_TOOL) || list.includes(AGENT_TOOL_ALIAS);
  return (names === undefined || meant(names)) && !meant(removedTools);
}

/**
 * As a share of the window; without a choice, Claude models on Anthropic's own API always defer. Without
 * ToolSearch nothing can be deferred.
 */
function resolveDeferral(
  names: ToolNames,
  { config, deferToolsAbove, removedTools }: Resolution,
): QueryEngineConfig['deferToolsAbove'] {
  if (removedTools.includes(TOOL_SEARCH_TOOL)) return NEVER;
  if (deferToolsAbove !== undefined) return deferToolsAbove;
  if (names?.includes(TOOL_SEARCH_TOOL) === false) return NEVER;
  return (model) => (asksAnthropic(config.baseUrl, model) ? ALWAYS : undefined);
}

const NEVER = 1;
const ALWAYS = 0;
