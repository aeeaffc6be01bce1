/** The lists beside the detail: iterations, what stands out, agents, costs. */
import type { PanelProps } from '../page-view.ts';
import { Agents } from './agents.tsx';
import { Costs } from './costs.tsx';
import { Iterations } from './iterations.tsx';
import { Notable } from './notable.tsx';
import { Tabs } from './tabs.tsx';

export function SidePanel(props: PanelProps) {
  const { data, view, change } = props;
  const names = {
    iterations: `Iterations ${data.iterations.length}`,
    notable: `Stands out ${data.events.length}`,
    agents: `Agents ${data.agents.length - 1}`,
    cost: 'Cost',
  };
  return (
    <section class="card side" aria-label="Lists">
      <Tabs
        label="Lists"
        names={names}
        chosen={view.side}
        panel="side"
        onChoose={(side) => change({ side })}
      />
      <div id="side" role="tabpanel" aria-labelledby={`side-${view.side}`} class="side-panel">
        {view.side === 'iterations' && <Iterations {...props} />}
        {view.side === 'notable' && <Notable {...props} />}
        {view.side === 'agents' && <Agents {...props} />}
        {view.side === 'cost' && <Costs {...props} />}
      </div>
    </section>
  );
}
