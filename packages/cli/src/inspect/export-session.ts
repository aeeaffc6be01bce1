/** A session to send or to keep: one page with the data in it, a trace for Perfetto, or the data alone. */
import type { InspectedIteration, OpenInspection, SessionInspection } from '@turnwright/engine';
import type { ExportKind } from '../flags/inspect-flags.ts';
import { embedData } from './page-file.ts';

/** Of each text in an exported page. */
const CONTENT_CHARS = 4_000;
/** Details beyond this many characters are left out, the oldest of what is not remarkable first. */
const MOST_DETAIL_CHARS = 20e6;

export async function exportSession(
  kind: ExportKind,
  inspection: OpenInspection,
  readHtml: () => Promise<string>,
): Promise<string> {
  const data = inspection.data();
  if (kind === 'json') return `${JSON.stringify(data, undefined, 2)}\n`;
  if (kind === 'perfetto') return `${JSON.stringify(perfettoTrace(data))}\n`;
  const details = await inspection.details(
    data.iterations.map(({ key }) => key),
    CONTENT_CHARS,
  );
  let left = MOST_DETAIL_CHARS;
  const kept = details.filter((detail) => {
    left -= JSON.stringify(detail).length;
    return left > 0;
  });
  return embedData(await readHtml(), {
    data,
    details: Object.fromEntries(kept.map((each) => [each.key, each])),
  });
}

interface TraceEvent {
  readonly ph: 'X' | 'M' | 'C';
  readonly name: string;
  readonly pid: number;
  readonly tid: number;
  /** Microseconds. */
  readonly ts?: number;
  readonly dur?: number;
  readonly args?: Readonly<Record<string, unknown>>;
}

/** Slices that overlap would not be drawn on one track: each lane is a track, and so is each overlap. */
function perfettoTrace({ iterations, agents, sessionId }: SessionInspection) {
  const events: TraceEvent[] = [];
  for (const [pid, agent] of agents.entries()) {
    const lanes = new Lanes(pid, events);
    const name = agent.id === '' ? `session ${sessionId}` : `${agent.type} ${agent.id}`;
    events.push({ ph: 'M', name: 'process_name', pid, tid: 0, args: { name } });
    for (const iteration of iterations.filter((each) => each.agent === agent.id)) {
      lanes.add('iterations', `#${iteration.step} ${iteration.out}`, iteration, argsOf(iteration));
      for (const { outcome, start, end, status } of iteration.attempts)
        lanes.add('model', `${iteration.model} ${outcome}`, { start, end }, { status });
      for (const { name: tool, start, end, outcome, id } of iteration.calls)
        if (start !== undefined) lanes.add(tool, tool, { start, end }, { outcome, id });
      for (const { event, start, end, outcome, tool } of iteration.hooks ?? [])
        lanes.add('hooks', event, { start, end }, { outcome, tool });
      const { context, costUsd } = iteration;
      const at = { ph: 'C' as const, pid, tid: 0, ts: iteration.start * 1000 };
      if (context !== undefined) events.push({ ...at, name: 'context tokens', args: { used: context.used } });
      if (costUsd !== undefined) events.push({ ...at, name: 'cost USD', args: { usd: costUsd } });
    }
  }
  return { displayTimeUnit: 'ms', traceEvents: events };
}

const argsOf = ({ sentence, rule, tokens, costUsd, in: from }: InspectedIteration) => ({
  sentence,
  rule,
  in: from,
  ...tokens,
  costUsd,
});

class Lanes {
  readonly #pid: number;
  readonly #events: TraceEvent[];
  /** When each track of a lane is free again. */
  readonly #tracks = new Map<string, { readonly tid: number; free: number }[]>();
  #next = 1;

  constructor(pid: number, events: TraceEvent[]) {
    this.#pid = pid;
    this.#events = events;
  }

  add(
    lane: string,
    name: string,
    { start, end }: { readonly start: number; readonly end: number },
    args: object,
  ) {
    const tracks = this.#tracks.get(lane) ?? [];
    this.#tracks.set(lane, tracks);
    let track = tracks.find(({ free }) => free <= start);
    if (track === undefined) {
      track = { tid: this.#next++, free: end };
      tracks.push(track);
      const shown = tracks.length === 1 ? lane : `${lane} (${tracks.length})`;
      this.#events.push({
        ph: 'M',
        name: 'thread_name',
        pid: this.#pid,
        tid: track.tid,
        args: { name: shown },
      });
    }
    track.free = end;
    this.#events.push({
      ph: 'X',
      name,
      pid: this.#pid,
      tid: track.tid,
      ts: start * 1000,
      dur: Math.max(0, end - start) * 1000,
      args: { ...args },
    });
  }
}
