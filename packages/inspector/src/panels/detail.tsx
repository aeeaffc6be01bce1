/** All about the selected iteration, and beside it another one to compare. */
import type { InspectedIteration, IterationDetail, SessionInspection } from '@turnwright/engine';
import { useEffect, useState } from 'preact/hooks';
import type { PageSource } from '../data/page-source.ts';
import { showDuration, showMoment, showText } from '../format.ts';
import type { ChangeView } from '../page-view.ts';
import { findIteration, type PageView, type Tab } from '../page-view.ts';
import { outName, toneOf } from '../page-words.ts';
import { Compare } from './compare.tsx';
import { AnswerPanel, Calls, Raw, SentPanel } from './contents.tsx';
import { Tabs } from './tabs.tsx';
import { Why } from './why.tsx';

interface DetailProps {
  readonly source: PageSource;
  readonly data: SessionInspection;
  readonly view: PageView;
  readonly change: ChangeView;
  readonly iteration: InspectedIteration;
}

export function Detail({ source, data, view, change, iteration }: DetailProps) {
  const detail = useDetail(source, view.session, iteration);
  const compared = findIteration(data, view.compared);
  const names: Readonly<Record<Tab, string>> = {
    why: 'Why',
    sent: 'Sent',
    answer: 'Answer',
    tools: `Tools ${iteration.calls.length + (iteration.open?.length ?? 0)}`,
    attempts: `Attempts ${iteration.attempts.length}`,
    permissions: 'Hooks & permissions',
    raw: 'Raw',
  };
  return (
    <section class="card detail" aria-label="Iteration">
      <div class="detail-head">
        <h2>
          <span class={`dot t-${toneOf(iteration)}`} aria-hidden="true" />#{iteration.step}{' '}
          <span class="quiet">
            {iteration.in !== undefined &&
              iteration.in !== 'next_turn' &&
              `after: ${outName(iteration.in)} · `}
            {outName(iteration.out)}
          </span>
        </h2>
        <label class="order">
          compare with{' '}
          <select
            value={compared?.key ?? ''}
            onChange={({ currentTarget }) =>
              change({ compared: currentTarget.value === '' ? undefined : currentTarget.value })
            }
          >
            <option value="">–</option>
            {nearby(data, iteration, compared).map(({ key, step }) => (
              <option key={key} value={key}>
                #{step}
              </option>
            ))}
          </select>
        </label>
      </div>
      <p class="sentence big">{showText(iteration.sentence)}</p>
      {compared !== undefined && <Compare a={iteration} b={compared} />}
      <Tabs
        label="Detail"
        names={names}
        chosen={view.tab}
        panel="detail"
        onChoose={(tab) => change({ tab })}
      />
      <div
        id="detail"
        role="tabpanel"
        aria-labelledby={`detail-${view.tab}`}
        class="scroll detail-panel"
        tabIndex={0}
      >
        {view.tab === 'why' && <Why {...{ iteration, data }} detail={detail.found} />}
        {view.tab === 'attempts' && <Attempts iteration={iteration} />}
        {view.tab === 'permissions' && <Permissions {...{ iteration }} detail={detail.found} />}
        {['sent', 'answer', 'tools', 'raw'].includes(view.tab) &&
          (detail.found === undefined ? (
            <p class="quiet">{detail.isRead ? 'Not in this file: it was too much.' : 'Reading …'}</p>
          ) : (
            <Contents
              tab={view.tab}
              detail={detail.found}
              iteration={iteration}
              read={(uuid) => source.text(view.session, uuid)}
            />
          ))}
      </div>
    </section>
  );
}

function Contents({
  tab,
  detail,
  iteration,
  read,
}: {
  readonly tab: Tab;
  readonly detail: IterationDetail;
  readonly iteration: InspectedIteration;
  readonly read: (uuid: string) => Promise<string | undefined>;
}) {
  if (tab === 'sent') return <SentPanel {...{ detail, iteration, read }} />;
  if (tab === 'answer') return <AnswerPanel {...{ detail, read }} />;
  return tab === 'tools' ? <Calls {...{ detail, iteration, read }} /> : <Raw detail={detail} />;
}

/** Read again when the iteration changes: a running one has more each time. */
function useDetail(source: PageSource, session: string, iteration: InspectedIteration) {
  const [state, setState] = useState<{
    readonly key: string;
    readonly found: IterationDetail | undefined;
    readonly isRead: boolean;
  }>();
  // Its end moves while it runs, without anything new to read.
  const open = (iteration.open ?? []).map(({ id }) => id).join();
  const mark = `${iteration.key}/${iteration.out}/${iteration.calls.length}/${open}`;
  useEffect(() => {
    let isOver = false;
    source.detail(session, iteration.key).then(
      (found) => !isOver && setState({ key: iteration.key, found, isRead: true }),
      () => !isOver && setState({ key: iteration.key, found: undefined, isRead: true }),
    );
    return () => {
      isOver = true;
    };
  }, [source, session, mark]);
  const isCurrent = state?.key === iteration.key;
  return { found: isCurrent ? state.found : undefined, isRead: isCurrent && state.isRead };
}

/** Those around it, of its own agent, and the one that is chosen. */
function nearby(
  { iterations }: SessionInspection,
  iteration: InspectedIteration,
  chosen: InspectedIteration | undefined,
) {
  const own = iterations.filter(({ agent }) => agent === iteration.agent);
  const at = own.indexOf(iteration);
  const near = own.slice(Math.max(0, at - 20), at + 21).filter((each) => each !== iteration);
  return chosen === undefined || near.includes(chosen) ? near : [chosen, ...near];
}

function Attempts({ iteration }: { readonly iteration: InspectedIteration }) {
  if (iteration.attempts.length === 0)
    return <p class="quiet">No request was made, or it is not over yet.</p>;
  return (
    <table class="table">
      <thead>
        <tr>
          <th>began</th>
          <th>outcome</th>
          <th class="number">waited before</th>
          <th class="number">to the first content</th>
          <th class="number">took</th>
        </tr>
      </thead>
      <tbody>
        {iteration.attempts.map((attempt, at) => (
          <tr key={at}>
            <td>{showMoment(attempt.start)}</td>
            <td>
              {attempt.outcome.replaceAll('_', ' ')}
              {attempt.status !== undefined && attempt.outcome !== 'complete' && ` (${attempt.status})`}
              {attempt.wasted === true && <span class="badge m-wasted">wasted</span>}
            </td>
            <td class="number">{attempt.waited === undefined ? '–' : showDuration(attempt.waited)}</td>
            <td class="number">
              {attempt.firstContent === undefined ? '–' : showDuration(attempt.firstContent - attempt.start)}
            </td>
            <td class="number">{showDuration(attempt.end - attempt.start)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

function Permissions({
  iteration,
  detail,
}: {
  readonly iteration: InspectedIteration;
  readonly detail: IterationDetail | undefined;
}) {
  const said = new Map(detail?.calls.map(({ id, permission }) => [id, permission]));
  return (
    <>
      {iteration.calls.length === 0 && <p class="quiet">No call, so nothing to permit.</p>}
      <ul class="permissions">
        {iteration.calls.map((call) => (
          <li key={call.id} class={call.outcome === 'denied' ? 'bad' : ''}>
            <b>{call.name}</b> <code>{showText(call.subject ?? '')}</code>
            <p>{showText(said.get(call.id) ?? call.why ?? 'It needs no permission.')}</p>
          </li>
        ))}
      </ul>
      {iteration.hooks !== undefined && (
        <>
          <h3>Hooks that ran</h3>
          <ul class="plainlist">
            {iteration.hooks.map(({ event, type, tool, start, end, outcome }, at) => (
              <li key={at}>
                {showMoment(start)} {event} {tool !== undefined && <>of {showText(tool)} </>}
                <span class="quiet">
                  {type}, {showDuration(end - start)}
                </span>
                <span class={`badge ${outcome === 'answered' ? 'm-ok' : 'm-failed'}`}>{outcome}</span>
              </li>
            ))}
          </ul>
        </>
      )}
      {detail !== undefined && detail.hooks.length > 0 && (
        <>
          <h3>What the hooks of the loop answered</h3>
          <ul class="plainlist">
            {detail.hooks.map((hook, at) => (
              <li key={at}>{showText(hook)}</li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
