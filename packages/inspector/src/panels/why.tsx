/** Why an iteration ended as it did: its figures, the rules that were asked, and how to go on from it. */
import type { InspectedIteration, IterationDetail, SessionInspection } from '@turnwright/engine';
import type { ComponentChildren } from 'preact';
import { showCount, showDuration, showMoment, showPlural, showShare, showText, showUsd } from '../format.ts';
import { MARKS } from '../page-words.ts';
import { Copied } from './copied.tsx';

interface WhyProps {
  readonly iteration: InspectedIteration;
  readonly data: SessionInspection;
  readonly detail: IterationDetail | undefined;
}

export function Why({ iteration, data, detail }: WhyProps) {
  const events = data.events.filter(({ key }) => key === iteration.key);
  return (
    <>
      <Facts {...{ iteration, data }} />
      {events.length > 0 && (
        <ul class="plainlist">
          {events.map((event) => (
            <li key={event.sentence}>{showText(event.sentence)}</li>
          ))}
        </ul>
      )}
      {iteration.cacheBreak !== undefined && (
        <p class="quiet">The tab Sent shows the first entry that differs.</p>
      )}
      {detail !== undefined && detail.rules.length > 0 && <Ladder rules={detail.rules} />}
      {iteration.agent === '' && (
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

function Facts({ iteration, data }: Omit<WhyProps, 'detail'>) {
  const { tokens, context, marks, sent, added, model, fellBackFrom = [], costUsd, wastedUsd } = iteration;
  // The provider counts better than the estimate before the request.
  const used =
    tokens === undefined ? (context?.used ?? 0) : tokens.fresh + tokens.cacheRead + tokens.cacheWrite;
  const prompt = data.submissions[iteration.submission - 1]?.prompt ?? '';
  return (
    <dl class="facts">
      <Fact name="began">
        {showMoment(iteration.start)}, took {showDuration(iteration.end - iteration.start)}
      </Fact>
      <Fact name="model">{[...fellBackFrom, model].join(' → ')}</Fact>
      <Fact name="sent">
        {sent === 1 ? '1 entry' : `${sent} entries`}, {added} new
      </Fact>
      {tokens !== undefined && <Fact name="tokens">{sayTokens(tokens)}</Fact>}
      {context !== undefined && context.window > 0 && (
        <Fact name="context">
          {showCount(used)} of {showCount(context.window)} ({showShare(used / context.window)}), shortened at{' '}
          {showCount(context.autocompactAt)}
        </Fact>
      )}
      <Fact name="cost">
        {costUsd === undefined ? 'not known' : showUsd(costUsd)}
        {wastedUsd !== undefined && `, ${showUsd(wastedUsd)} of it for broken answers`}
      </Fact>
      {iteration.agent === '' && prompt !== '' && <Fact name="asked">{showText(prompt)}</Fact>}
      {marks.length > 0 && <Fact name="marks">{marks.map((mark) => MARKS[mark]).join(', ')}</Fact>}
    </dl>
  );
}

function sayTokens({
  fresh,
  cacheRead,
  cacheWrite,
  output,
  reasoning,
}: NonNullable<InspectedIteration['tokens']>): string {
  const read = fresh + cacheRead + cacheWrite;
  const share = showShare(read === 0 ? 0 : cacheRead / read);
  const thought = reasoning > 0 ? `, ${showCount(reasoning)} of it thinking` : '';
  return `${showCount(read)} read (${share} from the cache, ${showCount(cacheWrite)} written to it, ${showCount(fresh)} fresh), ${showCount(output)} written${thought}`;
}

const VERDICTS = { decided: 'yes', no: 'no', 'not reached': 'not reached' } as const;
const CLASSES = { decided: 'decided', no: 'no', 'not reached': 'unasked' } as const;

function Ladder({ rules }: Pick<IterationDetail, 'rules'>) {
  return (
    <>
      <h3>The rules, in the order in which they are asked</h3>
      <ol class="ladder">
        {rules.map(({ name, question, verdict, facts }) => (
          <li key={name} class={CLASSES[verdict]}>
            <span class="verdict">{VERDICTS[verdict]}</span>
            <span>
              {question} <code class="quiet">{name}</code>
              {facts.length > 0 && (
                <details>
                  <summary>{showPlural(facts.length, 'fact')}</summary>
                  <dl class="facts">
                    {facts.map(([fact, value]) => (
                      <Fact key={fact} name={fact}>
                        <code>{showText(value)}</code>
                      </Fact>
                    ))}
                  </dl>
                </details>
              )}
            </span>
          </li>
        ))}
      </ol>
      {rules.every(({ verdict }) => verdict === 'no') && (
        <p class="quiet">No rule objected: the run took its usual course.</p>
      )}
    </>
  );
}

function Fact({ name, children }: { readonly name: string; readonly children: ComponentChildren }) {
  return (
    <div>
      <dt>{name}</dt>
      <dd>{children}</dd>
    </div>
  );
}
