/** A session as data for the inspector, of what was gathered from its journals. */

import { isoTime } from '@turnwright/base/text/figures-and-times.ts';
import type { Usage } from '../../protocol/model/wire.ts';
import type { DecisionRecord } from '../../protocol/session/decision-record.ts';
import type { FinishedRun } from '../../protocol/session/forecast.ts';
import type {
  InspectedCall,
  InspectedHook,
  InspectedIteration,
  InspectedSubmission,
  InspectedTokens,
  IterationMark,
  SessionInspection,
} from '../../protocol/session/inspection.ts';
import type { SessionCost } from '../../protocol/session/spending.ts';
import type { HookTrace } from '../../protocol/tools/hook.ts';
import type { ToolTrace } from '../../protocol/tools/tool-call.ts';
import { isInterrupted, isRetracted, type PaidAnswer } from '../wasted-answers.ts';
import { describeEnd, sayEnd } from './describe-end.ts';
import { forecastSession } from './forecast-session.ts';
import type { JournalRows, RowSoFar, SubmissionSoFar } from './iteration-rows.ts';
import { type AgentFacts, listAgents } from './list-agents.ts';
import { listEvents } from './list-events.ts';
import { askedFor, CUT_OFF, deciding, sayDecision, sayPermission } from './sentences.ts';
import { sumUp } from './sum-up.ts';

interface GatheredSession {
  readonly sessionId: string;
  readonly main: JournalRows;
  readonly agents: readonly { readonly facts: AgentFacts; readonly rows: JournalRows }[];
  readonly isRunning: boolean;
  readonly isRedacted: boolean;
  readonly damage: readonly string[];
  /** Of its folder, oldest first. */
  readonly runs?: readonly FinishedRun[] | undefined;
  /** Of what the main journal records. */
  toCost(
    recorded: JournalRows['totals'] & { readonly records: readonly PaidAnswer[] },
    isForeign: boolean,
  ): SessionCost;
}

interface Base {
  /** ms since 1970 that all times are counted from. */
  readonly at: number;
  readonly isRunning: boolean;
}

export function inspectJournals(session: GatheredSession): SessionInspection {
  const { main, agents, isRunning, isRedacted, damage, sessionId } = session;
  const journals = [{ facts: { id: '' }, rows: main }, ...agents];
  const last = Math.max(...journals.map(({ rows }) => rows.last));
  const base: Base = { at: main.first, isRunning };
  const hasSeveral = main.submissions.length > 1;
  const iterations = journals
    .flatMap(({ facts: { id }, rows }) => {
      // A clock that was set back changes no order of a journal.
      let reached = Number.NEGATIVE_INFINITY;
      return rows.rows.map((row, at) => {
        const isLast = at === rows.rows.length - 1;
        const iteration = toIteration(row, { id, rows, base, hasSeveral, isLast });
        reached = Math.max(reached, iteration.start);
        return { iteration, reached };
      });
    })
    .sort((a, b) => a.reached - b.reached)
    .map(({ iteration }) => iteration);
  const submissions = main.submissions.map((each) => toSubmission(each, iterations, base));
  const records = main.rows.flatMap(({ record, shown }) => record ?? shown?.paid ?? []);
  const cost = session.toCost({ ...main.totals, records }, main.hasForeign);
  const { state, sentence, terminal } = describeEnd(session, submissions, iterations);
  const isAtWork = state === 'running';
  const forecast = forecastSession(session.runs ?? [], { isRunning: isAtWork, submissions, iterations });
  const priced = iterations.filter(({ costUsd = 0 }) => costUsd > 0);
  const dearest = priced.reduce<InspectedIteration | undefined>(
    (most, each) => ((each.costUsd ?? 0) > (most?.costUsd ?? 0) ? each : most),
    undefined,
  );
  return {
    v: 1,
    sessionId,
    title: main.title ?? submissions[0]?.prompt.split('\n')[0]?.slice(0, 120) ?? '',
    cwd: main.cwd,
    startedAt: main.first === 0 ? '' : isoTime(main.first),
    end: Math.max(0, last - main.first, ...iterations.map(({ end }) => end)),
    state,
    sentence,
    ...(terminal !== undefined && { terminal }),
    ...(dearest !== undefined && { dearest: dearest.key }),
    redacted: isRedacted,
    totals: sumUp(iterations, cost),
    cost,
    ...(forecast !== undefined && { forecast }),
    submissions,
    agents: listAgents(session, iterations, cost.totalCostUsd, sentence),
    iterations,
    events: listEvents(iterations),
    damage,
  };
}

interface RowPlace {
  /** Of the agent. */
  readonly id: string;
  readonly rows: JournalRows;
  readonly base: Base;
  readonly hasSeveral: boolean;
  /** No other iteration began in this journal. */
  readonly isLast: boolean;
}

function toIteration(row: RowSoFar, place: RowPlace): InspectedIteration {
  const { rows, base } = place;
  if (row.record !== undefined || row.shown !== undefined) return showDecided(row, place);
  const named = nameRow(row, place);
  const submission = rows.submissions[row.submission - 1];
  const isRunning = base.isRunning && place.isLast && submission?.hasResult !== true;
  const start = row.since - base.at;
  const open = row.calls.flatMap((callId) => {
    const call = rows.subjects.get(callId);
    return call === undefined || call.isAnswered
      ? []
      : [{ id: callId, ...subject(call.subject), name: call.name, start: call.since - base.at }];
  });
  const names = [...new Set(open.map(({ name }) => name))].join(', ');
  const doing = names === '' ? 'Running: the model is answering.' : `Running: waits for ${names}.`;
  return {
    ...named,
    start,
    end: Math.max(start, rows.last - base.at),
    model: row.model,
    out: isRunning ? 'running' : 'cut_off',
    sentence: isRunning ? doing : CUT_OFF,
    sent: 0,
    added: 0,
    attempts: [],
    calls: [],
    open,
    steps: [],
    marks: [isRunning ? 'running' : 'cut_off', ...(row.isLeft ? (['left'] as const) : [])],
  };
}

function nameRow(row: RowSoFar, { id, hasSeveral }: RowPlace) {
  const number = hasSeveral || id !== '' ? `${row.submission}.${row.iteration}` : `${row.iteration}`;
  return {
    key: id === '' ? row.key : `${id}:${row.key}`,
    step: id === '' ? number : `${id.slice(0, 8)}:${row.submission > 1 ? number : row.iteration}`,
    agent: id,
    submission: row.submission,
  };
}

/** The same object as long as nothing of it changes: what is sent to pages is what is new. */
function showDecided(row: RowSoFar, place: RowPlace): InspectedIteration {
  const { rows, hasSeveral, isLast } = place;
  const as = `${hasSeveral} ${row.isLeft} ${rows.submissions[row.submission - 1]?.limitUsd}`;
  const shown = row.shown?.as === as ? row.shown : showAnew(row, place, as);
  row.shown = shown;
  if (!isLast && shown.paid.decision?.kind !== 'park') rows.drop(row);
  return shown.iteration;
}

function showAnew(row: RowSoFar, place: RowPlace, as: string): NonNullable<RowSoFar['shown']> {
  const { record, shown, isLeft } = row;
  const known = record === undefined ? shown?.iteration : decided(record, row, place);
  const marks = (known?.marks ?? []).filter((mark) => mark !== 'left');
  const named = nameRow(row, place);
  const { cache, costUsd, decision, wastedCostUsd } = record ?? shown?.paid ?? {};
  return {
    as,
    iteration: {
      ...named,
      ...known,
      ...named,
      marks: isLeft ? [...marks, 'left'] : marks,
    } as InspectedIteration,
    paid: {
      ...(costUsd !== undefined && { costUsd }),
      ...(wastedCostUsd !== undefined && { wastedCostUsd }),
      ...(decision !== undefined && { decision }),
      ...(cache?.break !== undefined && { cache }),
    },
  };
}

/** Shows what was read so far of a journal, so that not all of its records are held at once. */
export function showRead(rows: JournalRows, id: string, firstMs: number): void {
  const place = {
    id,
    rows,
    base: { at: firstMs, isRunning: false },
    hasSeveral: rows.submissions.length > 1,
  };
  for (let at = rows.rows.length - 2; at >= 0; at--) {
    const row = rows.rows[at];
    if (row?.record === undefined) return;
    showDecided(row, { ...place, isLast: false });
  }
}

const subject = (text: string | undefined) => (text === undefined || text === '' ? {} : { subject: text });

function decided(record: DecisionRecord, row: RowSoFar, { rows, base }: RowPlace) {
  const start = Date.parse(record.startedAt) - base.at;
  /** The monotonic clock of a process begins anywhere. */
  const at = (ms: number) => Math.round((start + ms - record.startMs) * 100) / 100;
  const { decision, usage, context, fallback, cache } = record;
  const calls = record.tools.map((trace) => toCall(trace, rows, at));
  const rule = deciding(record)?.name;
  const steps = record.prepare.flatMap((step) =>
    step.ran
      ? [
          {
            step: step.step,
            before: step.tokensBefore ?? 0,
            after: step.tokensAfter ?? step.tokensBefore ?? 0,
            ms: step.ms ?? 0,
            replaced: step.replaced?.length ?? 0,
          },
        ]
      : [],
  );
  return {
    start,
    end: at(record.endMs),
    model: fallback?.to ?? record.request?.model ?? row.model,
    ...(fallback !== undefined && {
      fellBackFrom: [...(fallback.before ?? []), fallback].map(({ from }) => from),
    }),
    ...(record.in !== undefined && { in: record.in }),
    out: outcomeOfRecord(record),
    sentence: sayDecision(record, {
      failure: row.failure,
      limitUsd: rows.submissions[row.submission - 1]?.limitUsd,
    }),
    ...(rule !== undefined && { rule }),
    ...(record.response?.stopReason && { stopReason: record.response.stopReason }),
    ...(usage !== undefined && { tokens: toTokens(usage) }),
    ...(record.costUsd !== undefined && { costUsd: record.costUsd }),
    ...(record.wastedCostUsd !== undefined && { wastedUsd: record.wastedCostUsd }),
    ...(context !== undefined && { context: { ...context, overhead: context.overhead ?? 0 } }),
    sent: record.view.length,
    added: record.view.added.length,
    attempts: record.attempts.map((attempt) => ({
      start: at(attempt.startMs),
      ...(attempt.firstContentMs !== undefined && { firstContent: at(attempt.firstContentMs) }),
      end: at(attempt.endMs),
      outcome: attempt.outcome,
      ...(attempt.status !== undefined && { status: attempt.status }),
      ...(attempt.waitedMs !== undefined && attempt.waitedMs > 0 && { waited: attempt.waitedMs }),
      ...(attempt.wasted === true && { wasted: true as const }),
    })),
    calls,
    steps,
    ...(record.hooks !== undefined && { hooks: record.hooks.map((run) => toHook(run, record, at)) }),
    ...(cache?.break !== undefined && { cacheBreak: cache.break }),
    marks: listMarks(record, calls, decision === undefined),
  };
}

function toHook(
  { event, type, startMs, endMs, outcome, toolUseId }: HookTrace,
  { tools }: DecisionRecord,
  at: (ms: number) => number,
): InspectedHook {
  const tool = tools.find(({ id }) => id === toolUseId)?.name;
  return { event, type, start: at(startMs), end: at(endMs), outcome, ...(tool !== undefined && { tool }) };
}

function outcomeOfRecord({ decision }: DecisionRecord): InspectedIteration['out'] {
  switch (decision?.kind) {
    case 'continue':
      return decision.transition;
    case 'stop':
      return decision.terminal;
    case 'park':
      return 'parked';
    default:
      return 'cut_off';
  }
}

function toTokens(usage: Usage): InspectedTokens {
  return {
    fresh: usage.input_tokens,
    cacheRead: usage.cache_read_input_tokens,
    cacheWrite: usage.cache_creation_input_tokens,
    cacheWrite1h: usage.cache_creation?.ephemeral_1h_input_tokens ?? 0,
    output: usage.output_tokens,
    reasoning: usage.output_tokens_details?.thinking_tokens ?? 0,
  };
}

function toCall(trace: ToolTrace, rows: JournalRows, at: (ms: number) => number): InspectedCall {
  const { id, name, outcome, permission, startedMs } = trace;
  const call = rows.subjects.get(id);
  const askedMs = permission && askedFor(permission);
  const isJudged = permission?.judge !== undefined;
  const isNoteworthy =
    permission !== undefined && (askedMs !== undefined || isJudged || permission.verdict !== 'allow');
  return {
    id,
    name,
    ...subject(call?.subject),
    queued: at(trace.queuedMs),
    ...(startedMs !== undefined && { start: at(startedMs) }),
    end: at(trace.endedMs),
    outcome,
    resultChars: trace.resultChars,
    ...(trace.ranIn !== undefined && { ranIn: trace.ranIn }),
    ...(permission !== undefined && { decidedBy: permission.source }),
    ...(permission?.rule !== undefined && { rule: permission.rule }),
    ...(askedMs !== undefined && { askedMs }),
    ...(permission?.judge?.verdict === 'allow' && { isJudged: true as const }),
    ...(isNoteworthy && { why: sayPermission(permission, call?.failure) }),
    ...(call !== undefined && call.failure !== '' && { failure: call.failure }),
  };
}

function listMarks(
  record: DecisionRecord,
  calls: readonly InspectedCall[],
  isCut: boolean,
): readonly IterationMark[] {
  const { attempts, fallback, prepare, cache, wastedCostUsd = 0, decision } = record;
  const marks: Readonly<Record<IterationMark, boolean>> = {
    retried: attempts.length > 1,
    fell_back: fallback !== undefined,
    compacted: prepare.some((step) => step.ran && (step.tokensAfter ?? 0) < (step.tokensBefore ?? 0)),
    asked: calls.some(({ askedMs }) => askedMs !== undefined),
    denied: calls.some(({ outcome }) => outcome === 'denied'),
    failed: calls.some(({ outcome }) => !['ok', 'denied'].includes(outcome)),
    cache_break: cache?.break !== undefined,
    wasted:
      wastedCostUsd > 0 || ((isRetracted(record) || isInterrupted(record)) && (record.costUsd ?? 0) > 0),
    recovered: decision?.kind === 'continue' && decision.transition !== 'next_turn',
    cut_off: isCut,
    running: false,
    left: false,
  };
  return (Object.keys(marks) as IterationMark[]).filter((mark) => marks[mark]);
}

function toSubmission(
  { number, prompt, since, until, hasResult, isParked, terminal, costUsd, turns }: SubmissionSoFar,
  iterations: readonly InspectedIteration[],
  { at, isRunning }: Base,
): InspectedSubmission {
  const own = iterations.filter(({ agent, submission }) => agent === '' && submission === number);
  const last = own.at(-1);
  const sentence = sayEnd(last, { hasResult, isParked, terminal, isRunning });
  return {
    number,
    prompt,
    sentence,
    ...(terminal !== undefined && { terminal }),
    start: since - at,
    end: Math.max(since, until) - at,
    ...(costUsd !== undefined && { costUsd }),
    ...(turns !== undefined && { turns }),
  };
}
