/** The tree of agents, with what each cost. */

import { showDuration, showPlural, showText, showUsd } from '../format.ts';
import type { PanelProps } from '../page-view.ts';
import { countDepths } from '../page-view.ts';

export function Agents({ data, change }: PanelProps) {
  const { agents, iterations } = data;
  const depth = countDepths(agents);
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
              <b>{showText(agent.type)}</b>
              {agent.id !== '' && <code class="quiet">{agent.id.slice(0, 8)}</code>}
              <span class="right">{showUsd(agent.treeCostUsd)}</span>
            </span>
            {agent.description !== '' && <span class="sentence">{showText(agent.description)}</span>}
            <span class="quiet">
              {showPlural(agent.iterations, 'iteration')} · {showDuration(agent.end - agent.start)}
              {agent.treeCostUsd !== agent.costUsd && ` · itself ${showUsd(agent.costUsd)}`}
            </span>
            <span class="sentence">{showText(agent.sentence)}</span>
            <i class="weight" style={{ width: `${most === 0 ? 0 : (agent.treeCostUsd / most) * 100}%` }} />
          </button>
        </li>
      ))}
    </ul>
  );
}
