/** Where an agent's share of a session differs from the session's own. */

import { extended } from '@turnwright/base/collections/extended.ts';
import type { HookedFiles, WatchedHooks } from '../../attachments/hooked-files.ts';
import { JUDGE_ID } from '../../hooks/configured-hooks.ts';
import { stricterMode } from '../../permissions/decide/stricter-mode.ts';
import type { TodoItem } from '../../protocol/model/attachment.ts';
import type { SpawnRequest } from '../../protocol/tools/agent.ts';
import { type HookCall, type HookEvent, type HookPort, NO_HOOK_VERDICT } from '../../protocol/tools/hook.ts';
import type { AnyTool, TodoStore } from '../../protocol/tools/tool.ts';
import { isFork } from '../../subagents/fork-agent.ts';
import { selectTools } from '../../subagents/select-tools.ts';
import { HISTORY_TOOL } from '../../tools/builtin/history.ts';
import { SNIP_TOOL } from '../../tools/builtin/snip.ts';
import { SLEEP_TOOL } from '../../tools/builtin/tasks/sleep.ts';
import type { QueryEngineConfig } from '../config.ts';
import { STRUCTURED_OUTPUT_TOOL } from '../submission/structured-output.ts';

/** They belong to the main conversation: its result, its view, its record. */
const MAIN_ONLY: readonly string[] = [STRUCTURED_OUTPUT_TOOL, HISTORY_TOOL, SNIP_TOOL, SLEEP_TOOL];

/** A run that goes on has no tool that the first one had not. */
export function agentTools(
  { definition, limits = {} }: Pick<SpawnRequest, 'definition' | 'limits'>,
  all: readonly AnyTool[],
): readonly AnyTool[] {
  // A fork sends what the main conversation sends, and may not touch what is that one's alone.
  if (isFork(definition))
    return all.map((tool) => (MAIN_ONLY.includes(tool.name) ? extended(tool, REFUSED) : tool));
  const own = all.filter(({ name }) => !MAIN_ONLY.includes(name));
  return selectTools(definition, selectTools(limits, own));
}

const REFUSED = {
  validateInput: async () => ({
    ok: false as const,
    message: 'This tool works on the main conversation, and only there. Report what you have instead.',
  }),
};

/** The mode of an agent that goes on is never looser than the one that it began with. */
export function strictestMode({
  definition,
  limits,
}: SpawnRequest): SpawnRequest['definition']['permissionMode'] {
  const { permissionMode } = definition;
  const before = limits?.permissionMode;
  return before === undefined ? permissionMode : stricterMode(before, permissionMode);
}

/** What is said for the main conversation alone does not hold for an agent's. */
export function agentConfig({ definition }: SpawnRequest, config: QueryEngineConfig): QueryEngineConfig {
  const { autoCompactWindow } = definition;
  const { window } = config.compaction ?? {};
  return {
    ...config,
    maxTurns: definition.maxTurns,
    taskBudget: undefined,
    tokenBudget: undefined,
    outputFormat: undefined,
    verify: undefined,
    includePartialMessages: config.includePartialMessages === true && config.forwardSubagentText === true,
    verbose: false,
    compaction: {
      ...config.compaction,
      window:
        autoCompactWindow === undefined ? window : Math.min(autoCompactWindow, window ?? autoCompactWindow),
    },
  };
}

/** An agent that judges for a hook is no agent of the model's. */
const ABOUT_AGENTS: ReadonlySet<HookEvent> = new Set<HookEvent>(['SubagentStart', 'SubagentStop']);

/** The session's hooks, with the agent's id and type in their input. */
export function agentHooks(
  hooks: HookPort,
  request: SpawnRequest,
  {
    transcriptPath,
    folder,
  }: { readonly transcriptPath: string | undefined; readonly folder: { readonly now: string } },
): HookPort & WatchedHooks {
  let files: HookedFiles | undefined;
  const whose = { agent_id: request.agentId, agent_type: request.definition.name };
  const judges = request.agentId.startsWith(JUDGE_ID);
  const isSilent = (event: HookEvent) => judges && ABOUT_AGENTS.has(event);
  return {
    has: (event) => !isSilent(event) && hooks.has(event),
    ran: () => hooks.ran?.(request.agentId) ?? [],
    async run(call, options) {
      if (isSilent(call.event)) return NO_HOOK_VERDICT;
      const ends = call.event === 'SubagentStop' && { agent_transcript_path: transcriptPath ?? '' };
      const own = { ...call, cwd: folder.now, ...whose, ...ends } as HookCall;
      const run = () => hooks.run(own, options);
      return files !== undefined && hooks.has(call.event) ? files.around(own, run) : run();
    },
    watch(its) {
      files = its;
    },
  };
}

export function agentTodos(): TodoStore {
  let todos: readonly TodoItem[] = [];
  return {
    get: () => todos,
    set(next) {
      todos = next;
    },
  };
}
