/** Why a session stopped, and what each of its iterations did, out of its decision records alone. */
import type { DecisionRecord } from '../protocol/decision-record.ts';
import type { JournalEntry } from '../protocol/journal.ts';
import type { AttemptRecord } from '../protocol/model.ts';
import type { ToolTrace } from '../protocol/tool.ts';
import { recordsInOrder } from './record-order.ts';
import { noProblems } from './resume-problems.ts';
import { isMainRequest } from './view-fold.ts';

interface ExplainedIteration {
  readonly iteration: number;
  readonly model: string;
  record: DecisionRecord | undefined;
}

interface ExplainedSubmission {
  readonly id: string;
  readonly iterations: ExplainedIteration[];
  hasResult: boolean;
  terminal: string | undefined;
}

/** Plain text for a terminal: the reason for the last stop first, then one line per iteration. */
export function explainSession(entries: Iterable<JournalEntry>): string {
  const submissions = submissionsOf(entries);
  const last = submissions.at(-1);
  if (last === undefined) return 'Nothing was asked in this session yet.';
  const lines = [reasonOf(last)];
  for (const [index, submission] of submissions.entries()) {
    lines.push('');
    if (submissions.length > 1)
      lines.push(`Submission ${index + 1} of ${submissions.length}: ${reasonOf(submission)}`);
    lines.push(...submission.iterations.map(lineOf));
    if (submission.iterations.length === 0) lines.push('  (no request was made)');
  }
  return lines.join('\n');
}

function submissionsOf(entries: Iterable<JournalEntry>): ExplainedSubmission[] {
  const found = new Map<string, ExplainedSubmission>();
  for (const entry of recordsInOrder(entries, noProblems())) {
    if (!('submission' in entry)) continue;
    if (entry.type === 'submission' && !found.has(entry.submission)) {
      found.set(entry.submission, {
        id: entry.submission,
        iterations: [],
        hasResult: false,
        terminal: undefined,
      });
    }
    const submission = found.get(entry.submission);
    if (submission === undefined) continue;
    const { iterations } = submission;
    if (entry.type === 'request' && isMainRequest(entry)) {
      const open = iterations.at(-1);
      if (open?.iteration === entry.iteration && open.record === undefined) continue;
      iterations.push({ iteration: entry.iteration, model: entry.model, record: undefined });
    } else if (entry.type === 'decision') {
      const { record } = entry;
      const open = iterations.findLast(
        (each) => each.iteration === record.iteration && each.record === undefined,
      );
      if (open !== undefined) open.record = record;
      else iterations.push({ iteration: record.iteration, model: record.request?.model ?? '', record });
    } else if (entry.type === 'result') {
      submission.hasResult = true;
      submission.terminal = terminalOf(entry.result);
    }
  }
  return [...found.values()];
}

function terminalOf(result: unknown): string | undefined {
  const { terminal_reason: reason, subtype } = (result ?? {}) as Record<string, unknown>;
  if (typeof reason === 'string') return reason;
  return typeof subtype === 'string' ? subtype : undefined;
}

function reasonOf({ iterations, hasResult, terminal }: ExplainedSubmission): string {
  const last = iterations.at(-1);
  const decision = last?.record?.decision;
  if (decision?.kind === 'stop') return decision.sentence;
  if (hasResult) return `Stopped: ${terminal ?? 'ended without a request'}.`;
  if (last === undefined) return 'Cut off here: the submission is on record, no request is.';
  return decision === undefined
    ? `Cut off here: iteration ${last.iteration} has no decision on record.`
    : `Cut off here: after iteration ${last.iteration}, before its successor asked.`;
}

function lineOf({ iteration, model, record }: ExplainedIteration): string {
  const number = `${iteration}`.padStart(3);
  if (record === undefined) return `${number}  ${model}  cut off here`;
  const parts = [
    record.in ?? 'start',
    record.fallback === undefined ? model : `${record.fallback.from} → ${record.fallback.to}`,
    ...attemptsOf(record.attempts),
    ...stepsOf(record),
    ...usageOf(record),
    ...(record.tools.length === 0 ? [] : [`tools: ${record.tools.map(toolText).join(', ')}`]),
    ...rulesOf(record),
    record.decision?.sentence ?? 'cut off here',
  ];
  return `${number}  ${parts.filter((part) => part !== '').join('  ')}`;
}

function attemptsOf(attempts: readonly AttemptRecord[]): string[] {
  if (attempts.length === 0) return [];
  const texts = attempts.map(({ outcome, status, waitedMs, startMs, endMs }) => {
    const waited = waitedMs === undefined || waitedMs === 0 ? '' : ` after ${duration(waitedMs)}`;
    return `${outcome}${status === undefined || outcome === 'complete' ? '' : ` ${status}`}${waited} (${duration(endMs - startMs)})`;
  });
  return [`${attempts.length === 1 ? '1 attempt' : `${attempts.length} attempts`}: ${texts.join(', ')}`];
}

function stepsOf({ prepare }: DecisionRecord): string[] {
  const ran = prepare.filter((step) => step.ran);
  if (ran.length === 0) return [];
  return [
    `prepared: ${ran.map((step) => `${step.step} ${step.tokensBefore ?? 0} → ${step.tokensAfter ?? step.tokensBefore ?? 0} tokens`).join(', ')}`,
  ];
}

function usageOf({ usage, costUsd }: DecisionRecord): string[] {
  if (usage === undefined) return [];
  const cost = costUsd === undefined ? '' : `, $${costUsd.toFixed(4)}`;
  const { input_tokens, cache_read_input_tokens, cache_creation_input_tokens, output_tokens } = usage;
  return [
    `in ${input_tokens} (cache read ${cache_read_input_tokens}, written ${cache_creation_input_tokens}), out ${output_tokens}${cost}`,
  ];
}

function toolText({ name, outcome, startedMs, endedMs }: ToolTrace): string {
  return startedMs === undefined
    ? `${name} ${outcome}`
    : `${name} ${outcome} ${duration(endedMs - startedMs)}`;
}

function rulesOf({ rules }: DecisionRecord): string[] {
  const deciding = rules.filter(({ verdict }) => verdict === 'continue' || verdict === 'stop');
  return deciding.map(({ name, read }) => {
    const facts = Object.entries(read ?? {}).map(([fact, value]) => `${fact}=${JSON.stringify(value)}`);
    return `rule: ${name}${facts.length === 0 ? '' : ` (${facts.join(', ')})`}`;
  });
}

function duration(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
