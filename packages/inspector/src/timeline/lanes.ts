/** What the timeline draws: lanes of slices that do not overlap. */
import type { InspectedIteration, SessionInspection } from '@turnwright/engine';
import { showDuration, showUsd } from '../format.ts';
import { outName, shortStep, toneOf } from '../page-words.ts';

export type SlicePaint =
  | 'plain'
  | 'recovered'
  | 'good'
  | 'bad'
  | 'parked'
  | 'running'
  | 'wait'
  | 'model'
  | 'answer'
  | 'tool'
  | 'asked'
  | 'step';

export interface Slice {
  readonly start: number;
  readonly end: number;
  readonly paint: SlicePaint;
  /** Key of its iteration. */
  readonly key: string;
  readonly label: string;
  readonly tip: string;
}

export interface Lane {
  readonly name: string;
  /** Of nested agents. */
  readonly depth: number;
  readonly slices: readonly Slice[];
}

export function makeLanes(
  { iterations, agents }: SessionInspection,
  depths: ReadonlyMap<string, number>,
  folded: ReadonlySet<string>,
): readonly Lane[] {
  const byAgent = new Map(agents.map(({ id }) => [id, iterations.filter(({ agent }) => agent === id)]));
  return agents.flatMap((agent) => {
    const own = byAgent.get(agent.id) ?? [];
    if (own.length === 0) return [];
    const depth = depths.get(agent.id) ?? 0;
    const title = agent.id === '' ? 'Iterations' : `↳ ${agent.type}`;
    const first: Lane = { name: title, depth, slices: own.map(iterationSlice) };
    if (agent.id !== '' && folded.has(agent.id)) return [first];
    return [first, ...partLanes(own, depth)];
  });
}

const iterationSlice = (iteration: InspectedIteration): Slice => ({
  start: iteration.start,
  end: iteration.end,
  paint: toneOf(iteration),
  key: iteration.key,
  label: `#${shortStep(iteration)}`,
  tip: `#${iteration.step} ${outName(iteration.out)} · ${showDuration(iteration.end - iteration.start)}${iteration.costUsd === undefined ? '' : ` · ${showUsd(iteration.costUsd)}`}\n${iteration.sentence}`,
});

function partLanes(iterations: readonly InspectedIteration[], depth: number): readonly Lane[] {
  const named = new Map<string, Slice[]>();
  const add = (lane: string, slice: Slice) => {
    if (slice.end < slice.start) return;
    const slices = named.get(lane);
    if (slices === undefined) named.set(lane, [slice]);
    else slices.push(slice);
  };
  named.set('Model', []);
  for (const iteration of iterations) addParts(iteration, add);
  return [...named].flatMap(([name, slices]) =>
    withoutOverlap(slices).map((row, at): Lane => ({ name: at === 0 ? name : '', depth, slices: row })),
  );
}

type AddSlice = (lane: string, slice: Slice) => void;

function addParts(iteration: InspectedIteration, add: AddSlice): void {
  const { key, attempts, calls, steps, start, model } = iteration;
  for (const [at, attempt] of attempts.entries()) {
    const { waited, firstContent, outcome } = attempt;
    const isBad = outcome !== 'complete';
    const begin = attempt.start;
    if (waited !== undefined)
      add('Model', {
        start: begin - waited,
        end: begin,
        paint: 'wait',
        key,
        label: '',
        tip: `waited ${showDuration(waited)} before attempt ${at + 1}`,
      });
    const content = firstContent ?? attempt.end;
    const tip = `${model}, attempt ${at + 1}: ${outcome.replaceAll('_', ' ')}\n${showDuration(content - begin)} to the first content, ${showDuration(attempt.end - begin)} in all`;
    add('Model', { start: begin, end: content, paint: isBad ? 'bad' : 'model', key, label: '', tip });
    if (firstContent !== undefined && !isBad)
      add('Model', { start: content, end: attempt.end, paint: 'answer', key, label: '', tip });
  }
  for (const call of calls) {
    const what = `${call.name} ${call.subject ?? ''}`.trim();
    if (call.askedMs !== undefined) {
      const end = call.start ?? call.end;
      add(call.name, {
        start: Math.max(call.queued, end - call.askedMs),
        end,
        paint: 'asked',
        key,
        label: '',
        tip: `${what}\nasked for ${showDuration(call.askedMs)}. ${call.why ?? ''}`,
      });
    }
    const begin = call.start ?? call.end;
    add(call.name, {
      start: begin,
      end: Math.max(begin, call.end),
      paint: call.outcome === 'ok' ? 'tool' : 'bad',
      key,
      label: call.subject ?? call.name,
      tip: `${what}\n${call.outcome.replaceAll('_', ' ')}, ${showDuration(call.end - begin)}`,
    });
  }
  for (const { event, tool = '', start: begin, end, outcome } of iteration.hooks ?? [])
    add('Hooks', {
      start: begin,
      end,
      paint: outcome === 'answered' ? 'step' : 'bad',
      key,
      label: event,
      tip: `hook ${event} ${tool}\n${outcome}, ${showDuration(end - begin)}`,
    });
  addOpen(iteration, add);
  for (const { step, before, after, ms } of steps)
    if (after < before)
      add('Shortening', {
        start,
        end: start + Math.max(ms, 1),
        paint: 'step',
        key,
        label: step,
        tip: `${step}: ${before} → ${after} tokens, ${showDuration(ms)}`,
      });
}

/** What is not over lasts as long as its iteration, so far. */
function addOpen({ key, open = [], start, end, model, out }: InspectedIteration, add: AddSlice): void {
  if (out !== 'running') return;
  const asked = open.length === 0 ? end : Math.min(...open.map((call) => call.start));
  const tip = `${model}: ${open.length === 0 ? 'is answering' : 'has answered'}, ${showDuration(asked - start)}`;
  add('Model', { start, end: asked, paint: open.length === 0 ? 'running' : 'model', key, label: '', tip });
  for (const { name, subject = name, start: since } of open)
    add(name, {
      start: since,
      end,
      paint: 'running',
      key,
      label: subject,
      tip: `${name} ${subject}\nruns, ${showDuration(end - since)} so far`,
    });
}

/** As few rows as there are slices at the same time. */
function withoutOverlap(slices: readonly Slice[]): readonly Slice[][] {
  const rows: Slice[][] = [];
  for (const slice of [...slices].sort((a, b) => a.start - b.start)) {
    const row = rows.find((each) => (each.at(-1)?.end ?? 0) <= slice.start + 0.01);
    if (row === undefined) rows.push([slice]);
    else row.push(slice);
  }
  return rows.length === 0 ? [[]] : rows;
}

/** Index of the first slice that ends behind `ms`. */
export function firstBehind(slices: readonly Slice[], ms: number): number {
  let [low, high] = [0, slices.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if ((slices[middle]?.end ?? 0) < ms) low = middle + 1;
    else high = middle;
  }
  return low;
}
