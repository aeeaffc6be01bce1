/** Context, cost and cache over the time of the timeline. */
import type { InspectedIteration, SessionInspection } from '@turnwright/engine';
import { useLayoutEffect, useMemo, useRef } from 'preact/hooks';
import { showCount, showUsd } from '../format.ts';
import { type Colours, GUTTER } from './draw.ts';
import type { TimeAxis } from './time-axis.ts';

interface ChartsProps {
  readonly data: SessionInspection;
  readonly axis: TimeAxis;
  readonly from: number;
  readonly to: number;
  readonly width: number;
  readonly colours: Colours;
}

interface Series {
  readonly name: string;
  readonly colour: string;
  /** One for each iteration, up to which a bar goes; null: not known. */
  readonly values: readonly (number | null)[];
  /** Its part of the last bar. */
  readonly last: number;
  /** A line of steps, with a measure of its own if `isApart`; else bars from the ground up. */
  readonly isLine?: true;
  readonly isApart?: true;
  readonly dash?: readonly number[];
}

interface ChartSpec {
  readonly name: string;
  readonly show: (value: number) => string;
  /** Those behind others come first. */
  readonly series: readonly Series[];
}

export function Charts({ data, axis, from, to, width, colours }: ChartsProps) {
  const main = useMemo(
    () =>
      data.iterations.filter(
        ({ agent, tokens, context }) => agent === '' && (tokens ?? context) !== undefined,
      ),
    [data],
  );
  const xs = useMemo(() => main.map(({ start, end }) => axis.shown((start + end) / 2)), [main, axis]);
  const specs = useMemo(() => specsOf(main, colours), [main, colours]);
  if (main.length === 0) return null;
  return (
    <div class="charts">
      {specs.map((spec) => (
        <Chart key={spec.name} {...{ spec, xs, from, to, width, colours }} />
      ))}
    </div>
  );
}

function specsOf(iterations: readonly InspectedIteration[], colours: Colours): readonly ChartSpec[] {
  const over = iterations.map(({ context }) => context?.overhead ?? null);
  const used = iterations.map(({ context }) => context?.used ?? null);
  const limits = iterations.map(({ context }) => context?.autocompactAt ?? null);
  let sum = 0;
  const cumulative = iterations.map(({ costUsd = 0 }) => {
    sum += costUsd;
    return sum;
  });
  const read = iterations.map(({ tokens }) => tokens?.cacheRead ?? 0);
  const written = iterations.map(({ tokens }) => (tokens?.cacheRead ?? 0) + (tokens?.cacheWrite ?? 0));
  const all = iterations.map(
    ({ tokens }) => (tokens?.cacheRead ?? 0) + (tokens?.cacheWrite ?? 0) + (tokens?.fresh ?? 0),
  );
  const end = iterations.at(-1);
  const css = (name: string) =>
    getComputedStyle(document.documentElement).getPropertyValue(`--${name}`).trim();
  return [
    {
      name: 'Context',
      show: showCount,
      series: [
        {
          name: 'conversation',
          colour: colours.answer,
          values: used,
          last: (end?.context?.used ?? 0) - (end?.context?.overhead ?? 0),
        },
        { name: 'system and tools', colour: colours.model, values: over, last: end?.context?.overhead ?? 0 },
        {
          name: 'is shortened at',
          colour: colours.recovered,
          values: limits,
          last: end?.context?.autocompactAt ?? 0,
          isLine: true,
          dash: [5, 4],
        },
      ],
    },
    {
      name: 'Cost',
      show: showUsd,
      series: [
        {
          name: 'each iteration, the last',
          colour: colours.tool,
          values: iterations.map(({ costUsd }) => costUsd ?? null),
          last: end?.costUsd ?? 0,
        },
        {
          name: 'main thread so far (right scale)',
          colour: colours.accent,
          values: cumulative,
          last: sum,
          isLine: true,
          isApart: true,
        },
      ],
    },
    {
      name: 'Cache',
      show: showCount,
      series: [
        { name: 'fresh', colour: css('fresh'), values: all, last: end?.tokens?.fresh ?? 0 },
        { name: 'written', colour: css('write'), values: written, last: end?.tokens?.cacheWrite ?? 0 },
        { name: 'read', colour: css('read'), values: read, last: end?.tokens?.cacheRead ?? 0 },
      ],
    },
  ];
}

interface ChartProps extends Pick<ChartsProps, 'from' | 'to' | 'width' | 'colours'> {
  readonly spec: ChartSpec;
  readonly xs: readonly number[];
}

const HEIGHT = 72;

function Chart({ spec, xs, from, to, width, colours }: ChartProps) {
  const canvas = useRef<HTMLCanvasElement>(null);
  useLayoutEffect(() => {
    const { current } = canvas;
    const context = current?.getContext('2d');
    if (!current || !context) return;
    const ratio = devicePixelRatio || 1;
    current.width = width * ratio;
    current.height = HEIGHT * ratio;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    drawChart(context, { spec, xs, from, to, width, colours });
  });
  const words = spec.series.map(({ name, last }) => `${name} ${spec.show(last)}`);
  return (
    <figure class="chart">
      <figcaption>
        <b>{spec.name}</b>
        <span class="legend">
          {spec.series.map(({ name, colour }, at) => (
            <span key={name}>
              <i style={{ background: colour }} />
              {words[at]}
            </span>
          ))}
        </span>
      </figcaption>
      <canvas
        ref={canvas}
        role="img"
        aria-label={`${spec.name}, at the end: ${words.join(', ')}`}
        style={{ width: `${width}px`, height: `${HEIGHT}px` }}
      />
    </figure>
  );
}

const TOP = 6;
const MOST_BAR = 22;

function drawChart(
  context: CanvasRenderingContext2D,
  { spec, xs, from, to, width, colours }: ChartProps,
): void {
  const room = width - GUTTER;
  const scale = room / (to - from);
  const x = (at: number) => GUTTER + ((xs[at] ?? 0) - from) * scale;
  const first = Math.max(0, xs.findIndex((value) => value >= from) - 1);
  const beyond = xs.findIndex((value) => value > to);
  const last = beyond < 0 ? xs.length - 1 : beyond;
  const mostIn = (series: readonly Series[]) => {
    let most = 0;
    for (const { values } of series)
      for (let at = first; at <= last; at++) most = Math.max(most, values[at] ?? 0);
    return most === 0 ? 1 : most * 1.04;
  };
  const most = mostIn(spec.series.filter(({ isApart }) => isApart !== true));
  const y = (value: number, top: number) => HEIGHT - 1 - (value / top) * (HEIGHT - TOP - 1);
  context.clearRect(0, 0, width, HEIGHT);
  context.font = '11px system-ui, sans-serif';
  context.textBaseline = 'middle';
  context.textAlign = 'right';
  for (const share of [0.5, 1]) {
    context.fillStyle = colours.line;
    context.fillRect(GUTTER, Math.round(y(most * share, most)), room, 1);
    context.fillStyle = colours.quiet;
    context.fillText(spec.show(most * share), GUTTER - 8, Math.max(TOP, y(most * share, most)));
  }
  context.save();
  context.beginPath();
  context.rect(GUTTER, 0, room, HEIGHT);
  context.clip();
  const perIteration = (x(last) - x(first)) / Math.max(1, last - first);
  const bar = Math.min(MOST_BAR, Math.max(1, perIteration * 0.7));
  for (const { values, colour, isLine, isApart, dash } of spec.series) {
    const top = isApart === true ? mostIn([{ name: '', colour, values, last: 0 }]) : most;
    context.fillStyle = colour;
    context.strokeStyle = colour;
    context.lineWidth = 1.5;
    context.setLineDash(dash === undefined ? [] : [...dash]);
    context.beginPath();
    let before: number | undefined;
    for (let at = first; at <= last; at++) {
      let value = values[at] ?? null;
      // Of several within a pixel the highest is drawn.
      for (const from = x(at); at < last && x(at + 1) - from < 1; ) {
        at += 1;
        value = Math.max(value ?? 0, values[at] ?? 0);
      }
      if (value === null) continue;
      const height = y(value, top);
      if (isLine !== true) context.fillRect(x(at) - bar / 2, height, bar, HEIGHT - height);
      else if (before === undefined) context.moveTo(x(at), height);
      else {
        context.lineTo(x(at), before);
        context.lineTo(x(at), height);
      }
      before = height;
    }
    context.stroke();
    if (isApart !== true) continue;
    for (const share of [0.5, 1])
      context.fillText(spec.show(top * share), width - 4, Math.max(TOP, y(top * share, top)));
  }
  context.restore();
}
