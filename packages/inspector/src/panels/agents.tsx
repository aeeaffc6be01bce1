/** The tree of agents, with what each cost. */
import type { InspectedAgent } from '@turnwright/engine';
import { duration, plural, usd, visible } from '../format.ts';
import type { SideProps } from './side.tsx';

export function Agents({ data, change }: SideProps) {
  const { agents, iterations } = data;
  const depth = depthsOf(agents);
  const most = agents[0]?.treeCostUsd ?? 0;
  return (
    <ul class="agents scroll">
      {agents.map((agent) => (
        <li key={agent.id} style={{ marginLeft: `${(depth.get(agent.id) ?? 0) * 18}px` }}>
          <button
            type="button"
            onClick={() => {
              const own = iterations.findLast((each) => each.agent === agent.id);
              if (own !== undefined) change({ selected: own.key, follows: false });
            }}
          >
            <span class="line">
              <b>{visible(agent.type)}</b>
              {agent.id !== '' && <code class="quiet">{agent.id.slice(0, 8)}</code>}
              <span class="right">{usd(agent.treeCostUsd)}</span>
            </span>
            {agent.description !== '' && <span class="sentence">{visible(agent.description)}</span>}
            <span class="quiet">
              {plural(agent.iterations, 'iteration')} · {duration(agent.end - agent.start)}
              {agent.treeCostUsd !== agent.costUsd && ` · itself ${usd(agent.costUsd)}`}
            </span>
            <span class="sentence">{visible(agent.sentence)}</span>
            <i class="weight" style={{ width: `${most === 0 ? 0 : (agent.treeCostUsd / most) * 100}%` }} />
          </button>
        </li>
      ))}
    </ul>
  );
}

export function depthsOf(agents: readonly InspectedAgent[]): ReadonlyMap<string, number> {
  const depth = new Map<string, number>();
  for (const { id, parent } of agents) depth.set(id, parent === undefined ? 0 : (depth.get(parent) ?? 0) + 1);
  return depth;
}
