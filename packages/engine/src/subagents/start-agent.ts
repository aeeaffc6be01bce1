/** Starts an agent for a call, within the limits, and returns its typed outcome. */
import type { AgentDefinition, Spawn, SpawnRequest } from '../protocol/tools/agent.ts';
import type { ToolContext, ToolOutput, ToolProgress } from '../protocol/tools/tool.ts';
import type { AgentQuota } from './quota.ts';
import { type Requested, type StatsKeeper, toEnding } from './stats.ts';
import type { AgentToolOutput } from './tool-output.ts';

export interface StartPorts {
  readonly quota: AgentQuota;
  readonly stats: StatsKeeper;
  readonly spawn: Spawn;
  /** Creates the id of an agent: letters, digits and "-". */
  newId(): string;
  /** Emits progress that no longer belongs to a call. */
  show(progress: ToolProgress): void;
}

interface AgentStart extends Pick<SpawnRequest, 'description' | 'prompt' | 'model' | 'effort'> {
  readonly definition: AgentDefinition;
  /** Whether tasks can outlive their call. */
  readonly background: boolean;
  /** `run_in_background` of the call. */
  readonly requested: Requested;
}

export async function* startAgent(
  { requested, ...start }: AgentStart,
  context: ToolContext,
  ports: StartPorts,
): AsyncGenerator<ToolProgress, ToolOutput<AgentToolOutput>> {
  const { depth } = context.queryTracking;
  const refusal = ports.quota.take({ effectKey: context.effectKey, depth });
  if (refusal !== undefined) {
    const { by, text } = refusal;
    ports.stats.refused(requested, by);
    return { data: { status: 'refused', reason: text }, content: text, isError: true };
  }
  const { tasks } = context;
  const request: SpawnRequest = {
    ...start,
    agentId: ports.newId(),
    toolUseId: context.toolUseId,
    submission: context.effectKey.split('/')[0] ?? '',
    depth: depth + 1,
    parentAgentId: context.agentId,
    background: tasks !== undefined && start.background,
  };
  const { background } = request;
  ports.stats.started(requested, { name: start.definition.name, depth: depth + 1, background });
  // Loaded by the first agent, as all that runs it.
  const [{ runAsTask }, { toAgentOutput }] = await Promise.all([
    import('./agent-task.ts'),
    import('./tool-output.ts'),
  ]);
  if (tasks !== undefined) return yield* runAsTask(request, context, { ...ports, tasks });
  const outcome = yield* ports.spawn(request, context.signal);
  ports.stats.ended(toEnding(outcome, 'user'));
  return toAgentOutput(request, outcome);
}
