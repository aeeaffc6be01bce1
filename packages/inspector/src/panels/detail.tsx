/** All about the selected iteration, and beside it another one to compare. */
import type { InspectedIteration, IterationDetail, SessionInspection } from '@turnwright/engine';
import { useEffect, useState } from 'preact/hooks';
import type { Change } from '../app.tsx';
import type { PageSource } from '../data/source.ts';
import { count, duration, moment, percent, plural, usd, visible } from '../format.ts';
import { findIteration, type Tab, type View } from '../state.ts';
import { MARKS, outName, toneOf } from '../words.ts';
import { Compare } from './compare.tsx';
import { Answer, Calls, Raw, Sent } from './contents.tsx';
import { Copied } from './copied.tsx';
import { Tabs } from './tabs.tsx';

interface DetailProps {
  readonly source: PageSource;
  readonly data: SessionInspection;
  readonly view: View;
  readonly change: Change;
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
    permissions: 'Permissions',
    raw: 'Raw',
  };
  return (
    <section class="card detail" aria-label="Iteration">
      <div class="detail-head">
        <h2>
          <span class={`dot t-${toneOf(iteration)}`} aria-hidden="true" />#{iteration.step}{' '}
          <span class="quiet">
            {iteration.in === undefined ? 'start' : outName(iteration.in)} → {outName(iteration.out)}
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
      <p class="sentence big">{visible(iteration.sentence)}</p>
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
  if (tab === 'sent') return <Sent {...{ detail, iteration, read }} />;
  if (tab === 'answer') return <Answer {...{ detail, read }} />;
  return tab === 'tools' ? <Calls {...{ detail, iteration, read }} /> : <Raw detail={detail} />;
}

/** Read again when the iteration changes: a running one has more each time. */
function useDetail(source: PageSource, session: string, iteration: InspectedIteration) {
  const [state, setState] = useState<{
    readonly key: string;
    readonly found: IterationDetail | undefined;
    readonly isRead: boolean;
  }>();
  const mark = `${iteration.key}/${iteration.out}/${iteration.end}`;
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

function Why({
  iteration,
  data,
  detail,
}: {
  readonly iteration: InspectedIteration;
  readonly data: SessionInspection;
  readonly detail: IterationDetail | undefined;
}) {
  const { tokens, context, cacheBreak, marks } = iteration;
  const read = tokens === undefined ? 0 : tokens.fresh + tokens.cacheRead + tokens.cacheWrite;
  const prompt = data.submissions[iteration.submission - 1]?.prompt ?? '';
  const events = data.events.filter(({ key }) => key === iteration.key);
  return (
    <>
      <dl class="facts">
        <Fact name="began">
          {moment(iteration.start)}, took {duration(iteration.end - iteration.start)}
        </Fact>
        <Fact name="model">
          {iteration.fellBackFrom === undefined
            ? iteration.model
            : `${iteration.fellBackFrom.join(' → ')} → ${iteration.model}`}
        </Fact>
        <Fact name="sent">
          {plural(iteration.sent, 'entry').replace('entrys', 'entries')}, {iteration.added} new
        </Fact>
        {tokens !== undefined && (
          <Fact name="tokens">
            {count(read)} read ({percent(read === 0 ? 0 : tokens.cacheRead / read)} from the cache,{' '}
            {count(tokens.cacheWrite)} written to it, {count(tokens.fresh)} fresh), {count(tokens.output)}{' '}
            written
            {tokens.reasoning > 0 && `, ${count(tokens.reasoning)} of it thinking`}
          </Fact>
        )}
        {context !== undefined && (
          <Fact name="context">
            {count(context.used)} of {count(context.window)} (
            {percent(context.window === 0 ? 0 : context.used / context.window)}), shortened at{' '}
            {count(context.autocompactAt)}
          </Fact>
        )}
        <Fact name="cost">
          {iteration.costUsd === undefined ? 'not known' : usd(iteration.costUsd)}
          {iteration.wastedUsd !== undefined && `, ${usd(iteration.wastedUsd)} of it wasted`}
        </Fact>
        {iteration.agent === '' && prompt !== '' && <Fact name="asked">{visible(prompt)}</Fact>}
        {marks.length > 0 && <Fact name="marks">{marks.map((mark) => MARKS[mark]).join(', ')}</Fact>}
      </dl>
      {events.length > 0 && (
        <ul class="plainlist">
          {events.map((event, at) => (
            <li key={at}>{visible(event.sentence)}</li>
          ))}
        </ul>
      )}
      {cacheBreak === undefined ? null : (
        <p class="quiet">The tab Sent shows the first entry that differs.</p>
      )}
      {detail !== undefined && detail.rules.length > 0 && (
        <>
          <h3>The rules, in the order in which they are asked</h3>
          <ol class="ladder">
            {detail.rules.map(({ name, question, verdict, facts }) => (
              <li key={name} class={verdict === 'decided' ? 'decided' : verdict === 'no' ? 'no' : 'unasked'}>
                <span class="verdict">
                  {verdict === 'decided' ? 'yes' : verdict === 'no' ? 'no' : 'not reached'}
                </span>
                <span>
                  {question} <code class="quiet">{name}</code>
                  {facts.length > 0 && (
                    <details>
                      <summary>{plural(facts.length, 'fact')}</summary>
                      <dl class="facts">
                        {facts.map(([fact, value]) => (
                          <Fact key={fact} name={fact}>
                            <code>{visible(value)}</code>
                          </Fact>
                        ))}
                      </dl>
                    </details>
                  )}
                </span>
              </li>
            ))}
          </ol>
          {detail.rules.every(({ verdict }) => verdict === 'no') && (
            <p class="quiet">No rule objected: the loop did the usual.</p>
          )}
        </>
      )}
      {iteration.agent === '' && iteration.steps.length >= 0 && (
        <>
          <h3>Go on from here</h3>
          <Copied
            label="The same step again, in a copy"
            text={`turnwright fork ${data.sessionId} --at ${iteration.step}`}
          />
          <Copied
            label="With other words"
            text={`turnwright fork ${data.sessionId} --at ${iteration.step} --prompt 'Try it another way.'`}
          />
        </>
      )}
    </>
  );
}

function Fact({
  name,
  children,
}: {
  readonly name: string;
  readonly children: import('preact').ComponentChildren;
}) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
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
            <td>{moment(attempt.start)}</td>
            <td>
              {attempt.outcome.replaceAll('_', ' ')}
              {attempt.status !== undefined && attempt.outcome !== 'complete' && ` (${attempt.status})`}
              {attempt.wasted === true && <span class="badge m-wasted">wasted</span>}
            </td>
            <td class="number">{attempt.waited === undefined ? '–' : duration(attempt.waited)}</td>
            <td class="number">
              {attempt.firstContent === undefined ? '–' : duration(attempt.firstContent - attempt.start)}
            </td>
            <td class="number">{duration(attempt.end - attempt.start)}</td>
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
  if (iteration.calls.length === 0) return <p class="quiet">No call, so nothing to permit.</p>;
  return (
    <>
      <ul class="permissions">
        {iteration.calls.map((call) => (
          <li key={call.id} class={call.outcome === 'denied' ? 'bad' : ''}>
            <b>{call.name}</b> <code>{visible(call.subject ?? '')}</code>
            <p>{visible(said.get(call.id) ?? call.why ?? 'It needs no permission.')}</p>
          </li>
        ))}
      </ul>
      {detail !== undefined && detail.hooks.length > 0 && (
        <>
          <h3>Hooks of the loop</h3>
          <ul class="plainlist">
            {detail.hooks.map((hook, at) => (
              <li key={at}>{visible(hook)}</li>
            ))}
          </ul>
        </>
      )}
    </>
  );
}
