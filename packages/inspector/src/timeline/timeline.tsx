/** The timeline: an overview with a brush, lanes, and the charts on the same axis. */
import type { InspectedAgent, SessionInspection } from '@turnwright/engine';
import { useEffect, useLayoutEffect, useMemo, useRef, useState } from 'preact/hooks';
import { showDuration, showPlural, showText, showUsd } from '../format.ts';
import type { PanelProps } from '../page-view.ts';
import { countDepths } from '../page-view.ts';
import { Charts } from './charts.tsx';
import { type Colours, drawTimeline, GUTTER, heightOf, LANE, OVERVIEW, RULER, type Scene } from './draw.ts';
import { firstBehind, makeLanes, type Slice } from './lanes.ts';
import { makeTimeAxis, type TimeAxis } from './time-axis.ts';
import { useGestures } from './use-gestures.ts';

const COLUMNS = 240;

export function Timeline({ data, view, change, selected }: PanelProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  const box = useRef<HTMLDivElement>(null);
  const [width, setWidth] = useState(800);
  const [marked, setMarked] = useState<readonly [number, number]>();
  const [tip, setTip] = useState<{ readonly x: number; readonly y: number; readonly text: string }>();
  const [folded, setFolded] = useState<ReadonlySet<string>>(new Set());
  const colours = useColours();
  useLayoutEffect(() => {
    if (box.current === null) return;
    const measured = new ResizeObserver(
      ([entry]) => entry !== undefined && setWidth(Math.max(280, Math.floor(entry.contentRect.width))),
    );
    measured.observe(box.current);
    return () => measured.disconnect();
  }, []);
  const axis = useMemo(() => makeTimeAxis(data.iterations, data.end, view.unfolded), [data, view.unfolded]);
  const lanes = useMemo(() => makeLanes(data, countDepths(data.agents), folded), [data, folded]);
  const load = useMemo(() => loadOf(data, axis), [data, axis]);
  const [from, to] = inside(view.zoom ?? [0, axis.length], axis.length);
  const scene: Scene = { lanes, axis, from, to, width, selected, marked, load };
  const now = useRef(scene);
  now.current = scene;
  useLayoutEffect(() => {
    const { current } = canvas;
    const context = current?.getContext('2d');
    if (!current || !context) return;
    const ratio = devicePixelRatio || 1;
    const height = heightOf(lanes);
    if (current.width !== width * ratio || current.height !== height * ratio) {
      current.width = width * ratio;
      current.height = height * ratio;
    }
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    drawTimeline(context, scene, colours);
  });
  const zoom = (next: readonly [number, number]) => {
    const [a, b] = inside(next, now.current.axis.length);
    const isAll = a <= 0 && b >= now.current.axis.length;
    change({ zoom: isAll ? undefined : [a, b] });
  };
  useGestures(canvas, {
    scene: () => now.current,
    zoom,
    mark: setMarked,
    press: (x, y) => {
      const slice = sliceAt(now.current, x, y);
      if (slice !== undefined) change({ selected: slice.key, follows: false });
    },
    hover: (x, y) => {
      const slice = x < 0 ? undefined : sliceAt(now.current, x, y);
      setTip(slice === undefined ? undefined : { x, y, text: slice.tip });
    },
  });
  useTimelineKeys(now, zoom, () => setMarked(undefined));
  const agents = data.agents.filter(({ id }) => id !== '');
  return (
    <>
      <div class="timeline" ref={box}>
        <canvas
          ref={canvas}
          tabIndex={0}
          role="img"
          aria-label={`Timeline of ${showPlural(data.iterations.length, 'iteration')}. As a table: the tab Table.`}
          style={{ width: `${width}px`, height: `${heightOf(lanes)}px` }}
        />
        {tip !== undefined && (
          <div class="tip" style={placeTip(canvas.current?.getBoundingClientRect(), tip)}>
            {showText(tip.text)}
          </div>
        )}
      </div>
      {marked !== undefined && (
        <Marked
          {...{ data, axis, marked }}
          onZoom={() => {
            zoom(marked);
            setMarked(undefined);
          }}
          onDrop={() => setMarked(undefined)}
        />
      )}
      <Options
        {...{ view, change, axis, agents, folded, setFolded, colours }}
        onAll={() => zoom([0, axis.length])}
      />
      <Charts {...{ data, axis, from, to, width, colours }} />
    </>
  );
}

/** In the window, as the timeline cuts what is beyond its edge. */
function placeTip(box: DOMRect | undefined, { x, y }: { readonly x: number; readonly y: number }) {
  const [left, top] = [(box?.left ?? 0) + x + 12, (box?.top ?? 0) + y];
  const isLow = top > innerHeight - 140;
  return {
    left: `${Math.max(8, Math.min(left, innerWidth - 336))}px`,
    ...(isLow ? { bottom: `${innerHeight - top + 12}px` } : { top: `${top + 16}px` }),
  };
}

interface OptionsProps extends Pick<PanelProps, 'view' | 'change'> {
  readonly axis: TimeAxis;
  readonly agents: readonly InspectedAgent[];
  readonly folded: ReadonlySet<string>;
  readonly setFolded: (folded: ReadonlySet<string>) => void;
  readonly colours: Colours;
  readonly onAll: () => void;
}

function Options({ view, change, axis, agents, folded, setFolded, colours, onAll }: OptionsProps) {
  const fold = () => setFolded(folded.size > 0 ? new Set() : new Set(agents.map(({ id }) => id)));
  return (
    <div class="timeline-options">
      <button type="button" onClick={onAll} disabled={view.zoom === undefined}>
        All <kbd>0</kbd>
      </button>
      {(axis.pauses.length > 0 || view.unfolded) && (
        <label class="toggle">
          <input
            type="checkbox"
            checked={view.unfolded}
            onChange={() => change({ unfolded: !view.unfolded, zoom: undefined })}
          />
          pauses as long as they were
        </label>
      )}
      {agents.length > 0 && (
        <label class="toggle">
          <input type="checkbox" checked={folded.size > 0} onChange={fold} />
          agents in one row
        </label>
      )}
      <span class="legend keys-of-colours" aria-hidden="true">
        {(Object.keys(LEGEND) as (keyof typeof LEGEND)[]).map((paint) => (
          <span key={paint}>
            <i style={{ background: colours[paint] }} />
            {LEGEND[paint]}
          </span>
        ))}
      </span>
    </div>
  );
}

const LEGEND = {
  plain: 'went on',
  recovered: 'recovered',
  good: 'done',
  bad: 'failed or stopped',
  model: 'model waits',
  answer: 'model writes',
  tool: 'tool',
  asked: 'a person is asked',
} as const;

/** Within all there is, and at least a millisecond. */
function inside([from, to]: readonly [number, number], length: number): readonly [number, number] {
  const span = Math.min(length, Math.max(1, to - from));
  const start = Math.min(Math.max(0, from), length - span);
  return [start, start + span];
}

function sliceAt({ lanes, axis, from, to, width }: Scene, x: number, y: number): Slice | undefined {
  const lane = lanes[Math.floor((y - OVERVIEW - RULER) / LANE)];
  if (lane === undefined || x < GUTTER) return undefined;
  const perPixel = (to - from) / (width - GUTTER);
  const shown = from + (x - GUTTER) * perPixel;
  const [early, late] = [axis.clock(shown - 2 * perPixel), axis.clock(shown + 2 * perPixel)];
  const at = axis.clock(shown);
  let best: Slice | undefined;
  for (let index = firstBehind(lane.slices, early); index < lane.slices.length; index++) {
    const slice = lane.slices[index] as Slice;
    if (slice.start > late) break;
    if (slice.start <= at && slice.end >= at) return slice;
    best ??= slice;
  }
  return best;
}

/** Share of the cost in each column. */
function loadOf({ iterations }: SessionInspection, axis: TimeAxis): readonly number[] {
  const columns = new Array<number>(COLUMNS).fill(0);
  const column = (ms: number) => Math.min(COLUMNS - 1, Math.floor((axis.shown(ms) / axis.length) * COLUMNS));
  for (const { start, end, costUsd = 0 } of iterations) {
    const [first, last] = [column(start), column(end)];
    const share = Math.max(costUsd, 1e-6) / (last - first + 1);
    for (let at = first; at <= last; at++) columns[at] = (columns[at] ?? 0) + share;
  }
  const most = columns.reduce((m, value) => Math.max(m, value), 0);
  return columns.map((value) => (most === 0 ? 0 : value / most));
}

interface MarkedProps {
  readonly data: SessionInspection;
  readonly axis: TimeAxis;
  readonly marked: readonly [number, number];
  readonly onZoom: () => void;
  readonly onDrop: () => void;
}

function Marked({ data, axis, marked, onZoom, onDrop }: MarkedProps) {
  const [from, to] = [axis.clock(marked[0]), axis.clock(marked[1])];
  const within = data.iterations.filter(({ start, end }) => end > from && start < to);
  const calls = within.flatMap((each) => each.calls).filter(({ queued, end }) => end > from && queued < to);
  const cost = within.reduce((sum, { costUsd = 0 }) => sum + costUsd, 0);
  return (
    <p class="marked" role="status">
      <b>{showDuration(to - from)}</b> · {showPlural(within.length, 'iteration')} ·{' '}
      {showPlural(calls.length, 'call')} · {showUsd(cost)}
      <button type="button" onClick={onZoom}>
        Zoom in
      </button>
      <button type="button" onClick={onDrop}>
        Drop
      </button>
    </p>
  );
}

function useTimelineKeys(
  scene: { readonly current: Scene },
  zoom: (next: readonly [number, number]) => void,
  drop: () => void,
): void {
  const act = useRef({ zoom, drop });
  act.current = { zoom, drop };
  useEffect(() => {
    const press = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]') !== null)
        return;
      if (event.target instanceof HTMLElement && event.target.matches('input, select, textarea')) return;
      const { from, to, axis } = scene.current;
      const [span, middle] = [to - from, (from + to) / 2];
      const next: Readonly<Record<string, readonly [number, number]>> = {
        w: [middle - span / 3, middle + span / 3],
        s: [middle - span * 0.75, middle + span * 0.75],
        a: [from - span / 4, to - span / 4],
        d: [from + span / 4, to + span / 4],
        '0': [0, axis.length],
      };
      // A lone w says why it stopped: the zoom is on the capital, or when the timeline has the focus.
      const isOnCanvas = document.activeElement instanceof HTMLCanvasElement;
      const key = event.key.toLowerCase();
      if (event.key === 'Escape') act.current.drop();
      if (next[key] === undefined || (event.key === 'w' && !isOnCanvas)) return;
      event.preventDefault();
      event.stopImmediatePropagation();
      act.current.zoom(next[key]);
    };
    addEventListener('keydown', press, true);
    return () => removeEventListener('keydown', press, true);
  }, []);
}

const NAMES: readonly (keyof Colours)[] = [
  'plain',
  'recovered',
  'good',
  'bad',
  'parked',
  'running',
  'wait',
  'model',
  'answer',
  'tool',
  'asked',
  'step',
  'text',
  'quiet',
  'line',
  'ground',
  'accent',
  'fade',
];

/** The colours of the style sheet, which change with the scheme. */
function useColours(): Colours {
  const read = () => {
    const style = getComputedStyle(document.documentElement);
    return Object.fromEntries(
      NAMES.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]),
    ) as Colours;
  };
  const [colours, setColours] = useState(read);
  useEffect(() => {
    const scheme = matchMedia('(prefers-color-scheme: dark)');
    const change = () => setColours(read());
    scheme.addEventListener('change', change);
    return () => scheme.removeEventListener('change', change);
  }, []);
  return colours;
}
