/** Starts an agent for a call, within the limits, and returns its typed outcome. */
import type { AgentDefinition, Spawn, SpawnRequest } from '../protocol/tools/agent.ts';
import type { KnownAgent } from '../protocol/tools/agent-runs.ts';
import type { ToolContext, ToolOutput, ToolProgress } from '../protocol/tools/tool.ts';
import type { AgentRoster } from './agent-roster.ts';
import type { AgentQuota } from './quota.ts';
import { type Requested, type StatsKeeper, toEnding } from './stats.ts';
import type { AgentToolOutput } from './tool-output.ts';

export interface StartPorts {
  readonly quota: AgentQuota;
  readonly roster: AgentRoster;
  readonly stats: StatsKeeper;
  readonly spawn: Spawn;
  /** Whether the caller can send messages to agents. */
  readonly goesOn: boolean;
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
  readonly name?: string | undefined;
  /** The agent that goes on; default: a new one. */
  readonly known?: KnownAgent | undefined;
}

export async function* startAgent(
  { requested, known, ...start }: AgentStart,
  context: ToolContext,
  ports: StartPorts,
): AsyncGenerator<ToolProgress, ToolOutput<AgentToolOutput>> {
  // One that goes on stays where it is, however deep the caller is.
  const depth = known === undefined ? context.queryTracking.depth : known.depth - 1;
  const refusal = ports.quota.take({ effectKey: context.effectKey, depth });
  if (refusal !== undefined) {
    if (known !== undefined) ports.roster.left(known.agentId);
    const { by, text } = refusal;
    ports.stats.refused(requested, by);
    return { data: { status: 'refused', reason: text }, content: text, isError: true, keepsData: true };
  }
  const { tasks } = context;
  const request: SpawnRequest = {
    ...start,
    agentId: known?.agentId ?? ports.newId(),
    toolUseId: context.toolUseId,
    submission: context.effectKey.split('/')[0] ?? '',
    depth: depth + 1,
    parentAgentId: known === undefined ? context.agentId : known.parentAgentId,
    background: tasks !== undefined && start.background,
    ...(known !== undefined && { name: known.name, run: known.runs + 1, limits: known.limits }),
  };
  ports.roster.enter(request.agentId);
  const { background } = request;
  ports.stats.started(requested, { name: start.definition.name, depth: depth + 1, background });
  // Loaded by the first agent, as all that runs it.
  const [{ runAsTask }, { toAgentOutput }] = await Promise.all([
    import('./agent-task.ts'),
    import('./tool-output.ts'),
  ]);
  try {
    if (tasks !== undefined) return yield* runAsTask(request, context, { ...ports, tasks });
  } catch (error) {
    ports.roster.left(request.agentId);
    throw error;
  }
  const outcome = yield* ports.spawn(request, context.signal);
  ports.stats.ended(toEnding(outcome, 'user'));
  return toAgentOutput(request, outcome, ports.goesOn);
}
