/** Draws the timeline on a canvas. */
import { showDuration, showMoment } from '../format.ts';
import { firstBehind, type Lane, type Slice, type SlicePaint } from './lanes.ts';
import type { TimeAxis } from './time-axis.ts';

export const GUTTER = 108;
export const OVERVIEW = 34;
export const RULER = 22;
export const LANE = 20;
const TEXT_FROM = 34;

export interface Scene {
  readonly lanes: readonly Lane[];
  readonly axis: TimeAxis;
  /** In shown time. */
  readonly from: number;
  readonly to: number;
  readonly width: number;
  readonly selected: string | undefined;
  /** A marked time, in shown time. */
  readonly marked: readonly [number, number] | undefined;
  /** Height of each column of the overview, 0 to 1. */
  readonly load: readonly number[];
}

export type Colours = Readonly<
  Record<SlicePaint | 'text' | 'quiet' | 'line' | 'ground' | 'accent' | 'fade', string>
>;

export const heightOf = (lanes: readonly Lane[]): number => OVERVIEW + RULER + lanes.length * LANE + 6;

export function drawTimeline(context: CanvasRenderingContext2D, scene: Scene, colours: Colours): void {
  const { lanes, width } = scene;
  context.clearRect(0, 0, width, heightOf(lanes));
  context.font = '11px system-ui, sans-serif';
  context.textBaseline = 'middle';
  drawOverview(context, scene, colours);
  drawRuler(context, scene, colours);
  const room = width - GUTTER;
  const scale = room / (scene.to - scene.from);
  const x = (ms: number) => GUTTER + (scene.axis.shown(ms) - scene.from) * scale;
  for (const [at, lane] of lanes.entries()) {
    const y = OVERVIEW + RULER + at * LANE;
    if (lane.name !== '') {
      context.fillStyle = colours.quiet;
      context.fillText(
        fitted(context, lane.name, GUTTER - 12 - lane.depth * 8),
        4 + lane.depth * 8,
        y + LANE / 2,
      );
      context.fillStyle = colours.line;
      context.fillRect(0, y, width, 1);
    }
    context.save();
    context.beginPath();
    context.rect(GUTTER, y, room, LANE);
    context.clip();
    drawLane(context, lane.slices, { x, y, scene, colours });
    context.restore();
  }
  drawMarks(context, scene, colours, (shown) => GUTTER + (shown - scene.from) * scale);
}

interface LanePlace {
  readonly x: (ms: number) => number;
  readonly y: number;
  readonly scene: Scene;
  readonly colours: Colours;
}

function drawLane(
  context: CanvasRenderingContext2D,
  slices: readonly Slice[],
  { x, y, scene, colours }: LanePlace,
): void {
  const [from, to] = [scene.axis.clock(scene.from), scene.axis.clock(scene.to)];
  const perPixel = (scene.to - scene.from) / (scene.width - GUTTER);
  /** Behind it the next pixel begins. */
  const behind = (right: number) => scene.axis.clock(scene.from + (right + 1 - GUTTER) * perPixel);
  let last: Slice | undefined;
  for (let at = firstBehind(slices, from); at < slices.length; ) {
    const slice = slices[at] as Slice;
    if (slice.start > to) break;
    if (slice.key === scene.selected) last = slice;
    const right = drawSlice(context, slice, { x, y, scene, colours });
    at += 1;
    // Several within one pixel are one.
    const next = slices[at];
    if (next !== undefined && x(next.end) < right + 1) at = Math.max(at, firstBehind(slices, behind(right)));
  }
  const chosen = last ?? slices.find(({ key }) => key === scene.selected);
  if (chosen !== undefined && chosen.end >= from && chosen.start <= to)
    drawSlice(context, chosen, { x, y, scene, colours });
}

/** Returns its right edge. */
function drawSlice(
  context: CanvasRenderingContext2D,
  slice: Slice,
  { x, y, scene, colours }: LanePlace,
): number {
  const left = x(slice.start);
  const right = Math.max(left + 1, x(slice.end));
  context.fillStyle = colours[slice.paint];
  const gap = right - left > 3 ? 1 : 0;
  context.fillRect(left, y + 3, right - left - gap, LANE - 5);
  if (slice.paint === 'asked') hatch(context, left, right - gap, y + 3, colours.ground);
  if (slice.key === scene.selected) {
    context.fillStyle = colours.accent;
    context.fillRect(left, y + LANE - 2, Math.max(2, right - left - gap), 2);
  }
  if (right - left > TEXT_FROM && slice.label !== '') {
    context.fillStyle = colours.ground;
    context.fillText(
      fitted(context, slice.label, right - left - 10),
      Math.max(left, GUTTER) + 4,
      y + LANE / 2 + 0.5,
    );
  }
  return right;
}

function hatch(
  context: CanvasRenderingContext2D,
  left: number,
  right: number,
  y: number,
  colour: string,
): void {
  context.save();
  context.beginPath();
  context.rect(left, y, right - left, LANE - 5);
  context.clip();
  context.strokeStyle = colour;
  context.lineWidth = 1.5;
  context.beginPath();
  for (let at = left - LANE; at < Math.min(right, left + 4000); at += 6) {
    context.moveTo(at, y + LANE);
    context.lineTo(at + LANE, y);
  }
  context.stroke();
  context.restore();
}

function drawOverview(context: CanvasRenderingContext2D, scene: Scene, colours: Colours): void {
  const room = scene.width - GUTTER;
  context.fillStyle = colours.quiet;
  context.fillText('Overview', 4, OVERVIEW / 2 - 1);
  const column = room / Math.max(1, scene.load.length);
  context.fillStyle = colours.model;
  for (const [at, share] of scene.load.entries()) {
    const height = share === 0 ? 0 : Math.max(1.5, share * (OVERVIEW - 8));
    context.fillRect(GUTTER + at * column, OVERVIEW - 4 - height, Math.ceil(column), height);
  }
  const [left, right] = [scene.from, scene.to].map((at) => GUTTER + (at / scene.axis.length) * room) as [
    number,
    number,
  ];
  context.fillStyle = colours.fade;
  context.fillRect(GUTTER, 0, left - GUTTER, OVERVIEW - 3);
  context.fillRect(right, 0, scene.width - right, OVERVIEW - 3);
  context.strokeStyle = colours.accent;
  context.lineWidth = 1;
  context.strokeRect(left + 0.5, 0.5, Math.max(3, right - left - 1), OVERVIEW - 4);
}

function drawRuler(context: CanvasRenderingContext2D, scene: Scene, colours: Colours): void {
  const room = scene.width - GUTTER;
  const scale = room / (scene.to - scene.from);
  const step = niceStep(90 / scale);
  const y = OVERVIEW + RULER / 2;
  for (let at = Math.ceil(scene.from / step) * step; at <= scene.to; at += step) {
    // Within a pause that is left out no moment has a place.
    if (scene.axis.pauses.some((pause) => at > pause.at && at < pause.at + pause.width)) continue;
    const x = GUTTER + (at - scene.from) * scale;
    context.fillStyle = colours.line;
    context.fillRect(Math.round(x), OVERVIEW + 2, 1, heightOf(scene.lanes));
    context.fillStyle = colours.quiet;
    const label = showMoment(scene.axis.clock(at), step < 100);
    if (x + context.measureText(label).width + 6 < scene.width) context.fillText(label, x + 4, y);
  }
  for (const { at, width, ms } of scene.axis.pauses) {
    const [left, right] = [at, at + width].map((each) => GUTTER + (each - scene.from) * scale) as [
      number,
      number,
    ];
    if (right < GUTTER || left > scene.width) continue;
    context.fillStyle = colours.fade;
    context.fillRect(Math.max(GUTTER, left), OVERVIEW, right - Math.max(GUTTER, left), heightOf(scene.lanes));
    context.fillStyle = colours.quiet;
    context.save();
    context.translate((left + right) / 2, OVERVIEW + RULER + 6);
    context.rotate(Math.PI / 2);
    context.fillText(`${showDuration(ms)} idle`, 0, 0);
    context.restore();
  }
}

const STEPS = [
  1, 2, 5, 10, 20, 50, 100, 200, 500, 1e3, 2e3, 5e3, 1e4, 3e4, 6e4, 12e4, 3e5, 6e5, 18e5, 36e5, 72e5, 216e5,
  864e5,
];
const niceStep = (least: number): number =>
  STEPS.find((step) => step >= least) ?? Math.ceil(least / 864e5) * 864e5;

function drawMarks(
  context: CanvasRenderingContext2D,
  scene: Scene,
  colours: Colours,
  x: (shown: number) => number,
): void {
  if (scene.marked === undefined) return;
  const [left, right] = scene.marked.map(x) as [number, number];
  const height = heightOf(scene.lanes) - OVERVIEW;
  context.fillStyle = colours.accent;
  context.globalAlpha = 0.16;
  context.fillRect(Math.max(GUTTER, left), OVERVIEW, right - Math.max(GUTTER, left), height);
  context.globalAlpha = 1;
  context.fillRect(Math.max(GUTTER, left), OVERVIEW, 1, height);
  context.fillRect(right, OVERVIEW, 1, height);
}

function fitted(context: CanvasRenderingContext2D, text: string, width: number): string {
  const most = Math.max(0, Math.floor(width / 5));
  let cut = text.length > most * 2 ? text.slice(0, most * 2) : text;
  if (context.measureText(cut).width <= width && cut === text) return text;
  while (cut.length > 0 && context.measureText(`${cut}…`).width > width) cut = cut.slice(0, -1);
  return cut === '' ? '' : `${cut}…`;
}
