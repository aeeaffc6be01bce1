/** All iterations: rows of one height, of which only those in sight are made. */
import type { InspectedIteration, IterationMark } from '@turnwright/engine';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { showCount, showDuration, showShare, showText, showUsd } from '../format.ts';
import type { PanelProps } from '../page-view.ts';
import { countCalls, listIterations, type Order } from '../page-view.ts';
import { MARKS, outName, shortStep, toneOf } from '../page-words.ts';

const ROW = 58;
/** Rows above and below what is in sight. */
const SPARE = 4;

export function Iterations({ data, view, change, selected }: PanelProps) {
  const rows = useMemo(() => listIterations(data, view), [data, view.marks, view.order]);
  const present = useMemo(() => {
    const marks = new Set(data.iterations.flatMap((each) => each.marks));
    return [...marks].map((mark) => [mark, countCalls(data.iterations, mark)] as const);
  }, [data]);
  const toggle = (mark: IterationMark) =>
    change({
      marks: view.marks.includes(mark) ? view.marks.filter((each) => each !== mark) : [...view.marks, mark],
    });
  return (
    <>
      <div class="chips" role="group" aria-label="Filters">
        {present.map(([mark, n]) => (
          <button
            key={mark}
            type="button"
            class={`chip m-${mark}`}
            aria-pressed={view.marks.includes(mark)}
            onClick={() => toggle(mark)}
          >
            {MARKS[mark]} {n}
          </button>
        ))}
        <label class="order">
          by{' '}
          <select
            value={view.order}
            onChange={({ currentTarget }) => change({ order: currentTarget.value as Order })}
          >
            <option value="time">time</option>
            <option value="cost">cost</option>
            <option value="duration">duration</option>
          </select>
        </label>
      </div>
      <Rows
        {...{ rows, selected }}
        most={data.iterations.reduce((m, { costUsd = 0 }) => Math.max(m, costUsd), 0)}
        onSelect={(key) => change({ selected: key, follows: false })}
      />
    </>
  );
}

interface RowsProps {
  readonly rows: readonly InspectedIteration[];
  readonly selected: string | undefined;
  /** USD of the dearest. */
  readonly most: number;
  readonly onSelect: (key: string) => void;
}

function Rows({ rows, selected, most, onSelect }: RowsProps) {
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(400);
  useLayoutEffect(() => {
    const { current } = box;
    if (current === null) return;
    const measured = new ResizeObserver(() => setHeight(current.clientHeight));
    measured.observe(current);
    return () => measured.disconnect();
  }, []);
  const at = rows.findIndex(({ key }) => key === selected);
  useEffect(() => {
    const { current } = box;
    if (current === null || at < 0) return;
    const [from, to] = [at * ROW, (at + 1) * ROW];
    if (from < current.scrollTop) current.scrollTop = from;
    else if (to > current.scrollTop + current.clientHeight) current.scrollTop = to - current.clientHeight;
  }, [at]);
  const first = Math.max(0, Math.floor(top / ROW) - SPARE);
  const shown = rows.slice(first, Math.ceil((top + height) / ROW) + SPARE);
  if (rows.length === 0) return <p class="quiet none">None.</p>;
  return (
    <div
      ref={box}
      class="rows"
      role="listbox"
      aria-label="Iterations"
      tabIndex={0}
      aria-activedescendant={at < 0 ? undefined : `row-${at}`}
      onScroll={({ currentTarget }) => setTop(currentTarget.scrollTop)}
    >
      <div class="space" role="presentation" style={{ height: `${rows.length * ROW}px` }}>
        {shown.map((row, index) => (
          <Row
            key={row.key}
            {...{ row, most }}
            at={first + index}
            isSelected={row.key === selected}
            onSelect={() => onSelect(row.key)}
          />
        ))}
      </div>
    </div>
  );
}

interface RowProps {
  readonly row: InspectedIteration;
  readonly at: number;
  readonly most: number;
  readonly isSelected: boolean;
  readonly onSelect: () => void;
}

function Row({ row, at, most, isSelected, onSelect }: RowProps) {
  const { tokens, context, costUsd } = row;
  const read = tokens === undefined ? 0 : tokens.fresh + tokens.cacheRead + tokens.cacheWrite;
  return (
    <div
      id={`row-${at}`}
      class={`row t-${toneOf(row)}${row.marks.includes('left') ? ' left' : ''}`}
      role="option"
      aria-selected={isSelected}
      style={{ transform: `translateY(${at * ROW}px)` }}
      onClick={onSelect}
    >
      <span class="n" title={`#${row.step}`}>
        {row.agent !== '' && (
          <i class="nested" aria-hidden="true">
            ↳
          </i>
        )}
        #{shortStep(row)}
      </span>
      <span class="what">
        <span class="line">
          <b class="out">{outName(row.out)}</b>
          <span class="calls">{names(row)}</span>
          {row.marks
            .filter((mark) => mark !== 'running' && mark !== 'recovered')
            .map((mark) => (
              <span key={mark} class={`badge m-${mark}`}>
                {MARKS[mark]}
              </span>
            ))}
        </span>
        <span class="sentence">{showText(row.sentence)}</span>
      </span>
      <span class="figures">
        <span>
          {costUsd === undefined ? '–' : showUsd(costUsd)} · {showDuration(row.end - row.start)}
        </span>
        <span class="quiet">
          {tokens === undefined
            ? '–'
            : `${showCount(read)}${context === undefined || context.window === 0 ? '' : ` (${showShare(read / context.window)})`} · ${showShare(read === 0 ? 0 : tokens.cacheRead / read)}`}
          {tokens !== undefined && <span class="wide"> cached</span>}
        </span>
        <i class="weight" style={{ width: `${most === 0 ? 0 : ((costUsd ?? 0) / most) * 100}%` }} />
      </span>
    </div>
  );
}

function names({ calls, open = [] }: InspectedIteration): string {
  const counts = new Map<string, number>();
  for (const { name } of [...calls, ...open]) counts.set(name, (counts.get(name) ?? 0) + 1);
  return [...counts].map(([name, n]) => (n === 1 ? name : `${n}× ${name}`)).join(', ');
}
