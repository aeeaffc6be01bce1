/** Report of a run: figures of its result, its messages, and the decision records of its journal. */
import type { DecisionRecord, SDKResultMessage } from '@turnwright/engine';
import { retryReason } from '../conversation/reduce/system-note.ts';
import { stopSentence, totals } from '../words/summary.ts';
import { counted, dollars, duration, percent, tokens } from '../words/units.ts';
import type { RunNotes } from './run-notes.ts';

interface ReportInput {
  readonly result: SDKResultMessage;
  readonly notes: RunNotes;
  readonly decisions: readonly DecisionRecord[];
  /** Statuses of every response, as the server sent them. */
  readonly statuses: readonly number[];
}

/** Names and values, in display order. */
export function reportRows(input: ReportInput): readonly (readonly [string, string])[] {
  const { result, notes, decisions, statuses } = input;
  const used = totals(result);
  const work = toolWork(decisions);
  const rows: [string, string][] = [
    [
      'iterations',
      `${decisions.length}, ${stopSentence(result) ?? `ended as ${result.terminal_reason ?? result.subtype}`}`,
    ],
    [
      'transitions',
      tally(
        decisions.flatMap(({ decision }) => (decision?.kind === 'continue' ? [decision.transition] : [])),
      ),
    ],
    ['HTTP', `${counted(statuses.length, 'request')}: ${tally(statuses.map(String))}`],
    [
      'retries',
      notes.retries
        .map((retry) => `${retryReason(retry)}, waited ${duration(retry.retry_delay_ms)}`)
        .join('; ') || 'none',
    ],
    [
      'compactions',
      notes.compactions
        .map(
          ({ compact_metadata: { pre_tokens, post_tokens } }) =>
            `${tokens(pre_tokens)} → ${tokens(post_tokens ?? 0)} tokens`,
        )
        .join('; ') || 'none',
    ],
    [
      'tools',
      work.calls === 0
        ? 'none'
        : `${counted(work.calls, 'call')}, ${duration(work.busyMs)} of work, ${percent(work.overlapMs, work.busyMs)} of it while the model was still answering`,
    ],
    ['tokens', `${tokens(used.input)} in, ${tokens(used.output)} out`],
    [
      'cache hits',
      `${percent(used.cacheRead, used.input)} of the input (${tokens(used.cacheRead)} read, ${tokens(used.cacheWrite)} written)`,
    ],
    ['cost', `${dollars(result.total_cost_usd)} by list prices`],
    ['time', duration(result.duration_ms)],
  ];
  return rows;
}

interface ToolWork {
  readonly calls: number;
  /** Time in which at least one tool ran. */
  readonly busyMs: number;
  /** The part of it in which the response with the call was still streaming. */
  readonly overlapMs: number;
}

/** All times of one record are of one monotonic clock. */
export function toolWork(decisions: readonly DecisionRecord[]): ToolWork {
  let busyMs = 0;
  let overlapMs = 0;
  let calls = 0;
  for (const { tools, attempts } of decisions) {
    const spans = tools.flatMap(({ startedMs, endedMs }): Span[] =>
      startedMs === undefined ? [] : [[startedMs, endedMs]],
    );
    const streams = attempts.map(({ startMs, endMs }): Span => [startMs, endMs]);
    calls += tools.length;
    for (const [from, to] of united(spans)) {
      busyMs += to - from;
      for (const [start, end] of united(streams))
        overlapMs += Math.max(0, Math.min(to, end) - Math.max(from, start));
    }
  }
  return { calls, busyMs, overlapMs };
}

type Span = readonly [from: number, to: number];

/** Merges spans that touch or overlap. */
function united(spans: readonly Span[]): Span[] {
  const merged: [number, number][] = [];
  for (const [from, to] of [...spans].sort(([a], [b]) => a - b)) {
    const last = merged.at(-1);
    if (last !== undefined && from <= last[1]) last[1] = Math.max(last[1], to);
    else merged.push([from, to]);
  }
  return merged;
}

/** `next_turn ×4, max_output_tokens_escalate ×1`, in the order of first appearance. */
function tally(words: readonly string[]): string {
  const counts = new Map<string, number>();
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return [...counts].map(([word, count]) => `${word} ×${count}`).join(', ') || 'none';
}
