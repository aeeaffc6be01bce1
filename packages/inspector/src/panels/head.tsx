/** Why it stopped, in a sentence, and what it took in all. */
import type { InspectedIteration, InspectedTotals, SessionInspection } from '@turnwright/engine';
import type { ComponentChildren } from 'preact';
import { showCount, showDuration, showPlural, showShare, showText, showUsd } from '../format.ts';
import type { ChangeView } from '../page-view.ts';
import { countCalls, findIteration } from '../page-view.ts';

interface HeadProps {
  readonly data: SessionInspection;
  readonly change: ChangeView;
}

export function Head({ data, change }: HeadProps) {
  const { totals, cost, damage, forecast } = data;
  const dearest = findIteration(data, data.dearest);
  const last = data.iterations.findLast(({ agent }) => agent === '');
  const failures = countCalls(data.iterations, 'failed');
  const select = (iteration: InspectedIteration | undefined) =>
    iteration !== undefined && change({ selected: iteration.key, follows: false, tab: 'why' });
  return (
    <section class="card head" aria-label="Summary">
      <p class="reason">
        <button type="button" class="plain" onClick={() => select(last)} title="Why it stopped (w)">
          {showText(data.sentence)}
        </button>
      </p>
      {damage.map((each) => (
        <p key={each} class="damage">
          Damaged: {each}
        </p>
      ))}
      <div class="tiles">
        <Tile
          name="Turns"
          value={`${totals.turns}`}
          onClick={() => change({ side: 'iterations', marks: [] })}
        >
          {showPlural(totals.calls, 'call')}
          {failures > 0 && `, ${failures} failed`}
          {data.agents.length > 1 && `, ${showPlural(data.agents.length - 1, 'agent')}`}
        </Tile>
        <TimeTile {...{ totals, change }} />
        <TokensTile {...{ totals, change }} />
        <Tile name="Cost" value={showUsd(totals.costUsd)} onClick={() => change({ side: 'cost' })}>
          {cost.unpricedModels.length > 0 &&
            `without ${cost.unpricedModels.join(', ')}, whose price is not known`}
          {forecast?.of === 'running' && forecast.forecast.kind === 'range' && (
            <span>
              this prompt: {showUsd(forecast.spentUsd)} → {showUsd(forecast.forecast.lowUsd)}–
              {showUsd(forecast.forecast.highUsd).slice(1)}
            </span>
          )}
          {dearest !== undefined && (
            <span>
              most in #{dearest.step}: {showUsd(dearest.costUsd ?? 0)}
            </span>
          )}
        </Tile>
        <Tile name="Cache" value={showShare(totals.cacheHit)} onClick={() => change({ side: 'notable' })}>
          {totals.cacheBreakUsd > 0
            ? `${showUsd(totals.cacheBreakUsd)} paid again for breaks`
            : 'no break that cost'}
        </Tile>
        {totals.wastedUsd > 0 && (
          <Tile
            name="Waste"
            value={showUsd(totals.wastedUsd)}
            onClick={() => change({ side: 'iterations', marks: ['wasted'] })}
          >
            for answers that broke, were too long or were interrupted
          </Tile>
        )}
        {dearest !== undefined && (
          <Tile name="Dearest" value={`#${dearest.step}`} onClick={() => select(dearest)}>
            {dearest.calls
              .map(({ name }) => name)
              .slice(0, 3)
              .join(', ') || 'the answer'}
          </Tile>
        )}
      </div>
    </section>
  );
}

interface TotalsProps {
  readonly totals: InspectedTotals;
  readonly change: ChangeView;
}

function TimeTile({ totals, change }: TotalsProps) {
  const { activeMs, modelMs, toolMs, waitingMs, hiddenMs } = totals;
  return (
    <Tile
      name="Time"
      value={showDuration(activeMs)}
      onClick={() => change({ side: 'iterations', order: 'duration' })}
    >
      <Bar
        label="Time"
        parts={[
          ['model', modelMs, 'c-model'],
          ['tools', toolMs, 'c-tool'],
          ['waiting', waitingMs, 'c-wait'],
          ['other', Math.max(0, activeMs - modelMs - toolMs - waitingMs + hiddenMs), 'c-rest'],
        ]}
        show={showDuration}
      />
      {hiddenMs >= 1 && <span>{showDuration(hiddenMs)} of it at the same time</span>}
    </Tile>
  );
}

function TokensTile({ totals: { tokens }, change }: TotalsProps) {
  return (
    <Tile
      name="Tokens"
      value={showCount(tokens.fresh + tokens.cacheRead + tokens.cacheWrite + tokens.output)}
      onClick={() => change({ side: 'cost' })}
    >
      <Bar
        label="Tokens"
        parts={[
          ['cache read', tokens.cacheRead, 'c-read'],
          ['cache write', tokens.cacheWrite, 'c-write'],
          ['fresh', tokens.fresh, 'c-fresh'],
          ['output', tokens.output, 'c-output'],
        ]}
        show={showCount}
      />
    </Tile>
  );
}

interface TileProps {
  readonly name: string;
  readonly value: string;
  readonly onClick: () => void;
  readonly children?: ComponentChildren;
}

function Tile({ name, value, onClick, children }: TileProps) {
  return (
    <button type="button" class="tile" onClick={onClick}>
      <span class="name">{name}</span>
      <span class="value">{value}</span>
      <span class="more">{children}</span>
    </button>
  );
}

type Part = readonly [name: string, value: number, colour: string];

function Bar({
  label,
  parts,
  show,
}: {
  readonly label: string;
  readonly parts: readonly Part[];
  readonly show: (n: number) => string;
}) {
  const shown = parts.filter(([, value]) => value > 0);
  const words = shown.map(([name, value]) => `${name} ${show(value)}`).join(', ');
  const total = shown.reduce((sum, [, value]) => sum + value, 0);
  return (
    <span class="bar-with-words">
      <span class="bar" role="img" aria-label={`${label}: ${words}`}>
        {shown.map(([name, value, colour]) => (
          <i key={name} class={colour} style={{ flexGrow: value / total }} title={`${name} ${show(value)}`} />
        ))}
      </span>
      <span class="legend">
        {shown.map(([name, value, colour]) => (
          <span key={name}>
            <i class={colour} aria-hidden="true" />
            {name} {show(value)}
          </span>
        ))}
      </span>
    </span>
  );
}
