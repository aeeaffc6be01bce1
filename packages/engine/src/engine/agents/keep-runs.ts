/** Records the runs of an agent in the journal of its session, for this process and later ones. */
import type { Recorder } from '../../protocol/session/journal.ts';
import type { AgentEnd, SpawnRequest } from '../../protocol/tools/agent.ts';
import type { AgentRunRecord } from '../../protocol/tools/agent-runs.ts';
import type { AgentRoster } from '../../subagents/agent-roster.ts';
import { describeLimits } from '../../subagents/select-tools.ts';

export interface RunKeeper {
  /** Called before its first request. `model`: the id of its model. */
  began(model: string): Promise<void>;
  ended(end: AgentEnd): Promise<void>;
}

export function keepRuns(
  request: SpawnRequest,
  roster: Pick<AgentRoster, 'apply'>,
  recorder: Recorder | undefined,
): RunKeeper {
  const { agentId, definition, run = 1, submission } = request;
  const { description, name, effort, depth, parentAgentId, toolUseId, background } = request;
  const record = async (each: AgentRunRecord) => {
    roster.apply(each);
    const id = `agent/${agentId}/${run}/${each.event}`;
    await recorder?.append([{ type: 'agent', id, submission, ...each }]);
  };
  return {
    began: (model) =>
      record({
        event: 'started',
        agentId,
        run,
        agentType: definition.name,
        description,
        name,
        model,
        effort,
        depth,
        parentAgentId,
        toolUseId,
        background,
        limits: request.limits ?? describeLimits(definition),
      }),
    ended: (end) => record({ event: 'ended', agentId, run, end }),
  };
}
