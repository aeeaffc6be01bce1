/** Shown time: that of the clock, without long pauses in which nothing ran. */
import type { InspectedIteration } from '@turnwright/engine';

/** Shorter pauses are shown as they were. */
const LONG_MS = 30_000;

export interface TimeAxis {
  /** Length of all shown time, ms. */
  readonly length: number;
  /** Where pauses were left out: shown time, and how long they were. */
  readonly pauses: readonly { readonly at: number; readonly width: number; readonly ms: number }[];
  shown(ms: number): number;
  /** The other way. */
  clock(shown: number): number;
}

interface Piece {
  /** Of the clock. */
  readonly from: number;
  readonly to: number;
  readonly shownFrom: number;
  readonly shownTo: number;
}

export function makeTimeAxis(
  iterations: readonly InspectedIteration[],
  end: number,
  unfolded: boolean,
): TimeAxis {
  const spans = busySpans(iterations, end);
  const busy = spans.reduce((sum, [from, to]) => sum + to - from, 0);
  const fold = Math.max(500, busy * 0.015);
  const pieces: Piece[] = [];
  const pauses: { at: number; width: number; ms: number }[] = [];
  let shown = 0;
  let last = 0;
  for (const [from, to] of spans) {
    const gap = from - last;
    if (gap > 0) {
      const isFolded = !unfolded && gap > LONG_MS;
      const width = isFolded ? fold : gap;
      if (isFolded) pauses.push({ at: shown, width, ms: gap });
      pieces.push({ from: last, to: from, shownFrom: shown, shownTo: shown + width });
      shown += width;
    }
    pieces.push({ from, to, shownFrom: shown, shownTo: shown + to - from });
    shown += to - from;
    last = to;
  }
  const length = Math.max(1, shown);
  type Ends = readonly [start: keyof Piece, end: keyof Piece];
  const map = (value: number, [start, end]: Ends, [shownStart, shownEnd]: Ends) => {
    const piece = pieceAt(pieces, value, end);
    if (piece === undefined) return value;
    const share = piece[end] === piece[start] ? 0 : (value - piece[start]) / (piece[end] - piece[start]);
    return piece[shownStart] + Math.min(1, Math.max(0, share)) * (piece[shownEnd] - piece[shownStart]);
  };
  const [ofClock, ofShown]: readonly Ends[] = [
    ['from', 'to'],
    ['shownFrom', 'shownTo'],
  ];
  return {
    length,
    pauses,
    shown: (ms) => map(ms, ofClock as Ends, ofShown as Ends),
    clock: (at) => map(at, ofShown as Ends, ofClock as Ends),
  };
}

function pieceAt(pieces: readonly Piece[], value: number, to: keyof Piece): Piece | undefined {
  let [low, high] = [0, pieces.length - 1];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((pieces[middle]?.[to] ?? 0) < value) low = middle + 1;
    else high = middle;
  }
  return pieces[low];
}

/** In order and apart. */
function busySpans(
  iterations: readonly InspectedIteration[],
  end: number,
): readonly (readonly [number, number])[] {
  const spans: [number, number][] = [];
  for (const iteration of iterations) {
    const from = Math.max(
      0,
      Math.min(iteration.start, ...iteration.attempts.map(({ start, waited = 0 }) => start - waited)),
    );
    const to = Math.max(iteration.end, ...iteration.calls.map((call) => call.end));
    const last = spans.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
    else spans.push([from, Math.max(from + 1, to)]);
  }
  return spans.length === 0 ? [[0, Math.max(1, end)]] : spans;
}
