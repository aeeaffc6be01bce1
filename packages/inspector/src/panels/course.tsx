/** How the session went: as a timeline, as a flame of agents, or as a table of figures. */

import { showDuration } from '../format.ts';
import type { PanelProps } from '../page-view.ts';
import { Flame } from '../timeline/flame.tsx';
import { Timeline } from '../timeline/timeline.tsx';
import { Tabs } from './tabs.tsx';

const NAMES = { timeline: 'Timeline', flame: 'Flame', table: 'Table' } as const;

export function CoursePanel(props: PanelProps) {
  const { view, change } = props;
  return (
    <section class="card course" aria-label="Course">
      <Tabs
        label="Course"
        names={NAMES}
        chosen={view.course}
        panel="course"
        onChoose={(course) => change({ course })}
      />
      <div id="course" role="tabpanel" aria-labelledby={`course-${view.course}`}>
        {view.course === 'timeline' && <Timeline {...props} />}
        {view.course === 'flame' && <Flame {...props} />}
        {view.course === 'table' && <Lanes {...props} />}
      </div>
    </section>
  );
}

/** What the lanes of the timeline hold, as figures. */
function Lanes({ data }: PanelProps) {
  const tools = new Map<string, { calls: number; ms: number; failed: number; asked: number }>();
  for (const { calls } of data.iterations)
    for (const { name, start, end, outcome, askedMs } of calls) {
      const row = tools.get(name) ?? { calls: 0, ms: 0, failed: 0, asked: 0 };
      tools.set(name, row);
      row.calls += 1;
      row.ms += start === undefined ? 0 : end - start;
      row.failed += outcome === 'ok' ? 0 : 1;
      row.asked += askedMs ?? 0;
    }
  const { totals, iterations } = data;
  const asked = [...tools.values()].reduce((sum, row) => sum + row.asked, 0);
  const attempts = iterations.reduce((sum, each) => sum + each.attempts.length, 0);
  return (
    <div class="scroll" tabIndex={0} role="region" aria-label="Figures of the timeline">
      <table class="table">
        <thead>
          <tr>
            <th>lane</th>
            <th class="number">how often</th>
            <th class="number">time</th>
            <th class="number">failed</th>
            <th class="number">a person was asked for</th>
          </tr>
        </thead>
        <tbody>
          <tr>
            <th>model</th>
            <td class="number">{attempts}</td>
            <td class="number">{showDuration(totals.modelMs)}</td>
            <td class="number">
              {attempts - iterations.filter(({ tokens }) => tokens !== undefined).length}
            </td>
            <td class="number">–</td>
          </tr>
          {[...tools]
            .sort((a, b) => b[1].ms - a[1].ms)
            .map(([name, { calls, ms, failed, asked: own }]) => (
              <tr key={name}>
                <th>{name}</th>
                <td class="number">{calls}</td>
                <td class="number">{showDuration(ms)}</td>
                <td class="number">{failed}</td>
                <td class="number">{own === 0 ? '–' : showDuration(own)}</td>
              </tr>
            ))}
        </tbody>
        <tfoot>
          <tr>
            <th>iterations</th>
            <td class="number">{iterations.length}</td>
            <td class="number">{showDuration(totals.activeMs)}</td>
            <td class="number">–</td>
            <td class="number">{asked === 0 ? '–' : showDuration(asked)}</td>
          </tr>
        </tfoot>
      </table>
    </div>
  );
}
