/** Explains, from its decision records only, why a session stopped and what each of its iterations did. */

import { textOfContent } from '@turnwright/base/text/text-blocks.ts';
import type { AttemptRecord } from '../protocol/model/model.ts';
import type { AssistantBlock, UserBlock } from '../protocol/model/wire.ts';
import type { DecisionRecord } from '../protocol/session/decision-record.ts';
import type { JournalEntry } from '../protocol/session/journal.ts';
import type { ToolTrace } from '../protocol/tools/tool-call.ts';
import { isMainRequest } from '../view/fold.ts';
import { noProblems, recordsInOrder } from './resume/record-order.ts';

interface ExplainedIteration {
  readonly iteration: number;
  readonly model: string;
  record: DecisionRecord | undefined;
}

/** What calls are about, by id: a command, a file, a pattern. */
type Subjects = ReadonlyMap<string, { readonly subject: string; output: string }>;

interface ExplainedSubmission {
  readonly id: string;
  readonly iterations: ExplainedIteration[];
  hasResult: boolean;
  terminal: string | undefined;
}

/** Plain text for a terminal: the reason for the last stop first, then one line per iteration. */
export function explainRecords(entries: Iterable<JournalEntry>): string {
  const records = [...entries];
  const submissions = collectSubmissions(records);
  const subjects = subjectsIn(records);
  const last = submissions.at(-1);
  if (last === undefined) return withoutSubmissions(records);
  const lines = [describeEnd(last)];
  for (const [index, submission] of submissions.entries()) {
    lines.push('');
    if (submissions.length > 1)
      lines.push(`Submission ${index + 1} of ${submissions.length}: ${describeEnd(submission)}`);
    lines.push(...submission.iterations.flatMap((iteration) => formatIteration(iteration, subjects)));
    if (submission.iterations.length === 0) lines.push('  (no request was made)');
  }
  return lines.join('\n');
}

/** What another program wrote has messages, and no record of why its iterations ended. */
function withoutSubmissions(entries: readonly JournalEntry[]): string {
  const count = (type: string) => entries.filter((entry) => entry.type === type && entry.v === 0).length;
  const answers = count('assistant');
  if (count('user') === 0 && answers === 0) return 'Nothing was asked in this session yet.';
  const records = answers === 1 ? '1 record of an answer' : `${answers} records of answers`;
  return `This session was written by another program: ${records}, and no record of iterations. Why each of them ended is not known; turnwright cost computes what they cost.`;
}

function collectSubmissions(entries: Iterable<JournalEntry>): ExplainedSubmission[] {
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
      submission.terminal = readTerminal(entry.result);
    }
  }
  return [...found.values()];
}

function readTerminal(result: unknown): string | undefined {
  const { terminal_reason: reason, subtype } = (result ?? {}) as Record<string, unknown>;
  if (typeof reason === 'string') return reason;
  return typeof subtype === 'string' ? subtype : undefined;
}

function describeEnd({ iterations, hasResult, terminal }: ExplainedSubmission): string {
  const last = iterations.at(-1);
  const decision = last?.record?.decision;
  if (decision?.kind === 'stop' || decision?.kind === 'park') return decision.sentence;
  if (hasResult) return `Stopped: ${terminal ?? 'ended without a request'}.`;
  if (last === undefined) return 'Interrupted here: the submission is recorded, no request is.';
  return decision === undefined
    ? `Interrupted here: iteration ${last.iteration} has no recorded decision.`
    : `Interrupted here: after iteration ${last.iteration}, before the next request.`;
}

/** Fields of an input that say what a call is about, the first one first. */
const SUBJECTS = ['command', 'file_path', 'notebook_path', 'pattern', 'url', 'query'] as const;

function findSubject(input: Readonly<Record<string, unknown>>): string | undefined {
  return SUBJECTS.map((field) => input[field]).find((value) => typeof value === 'string');
}

/** What the calls of a session are about, and their outcomes. */
function subjectsIn(entries: readonly JournalEntry[]): Subjects {
  const subjects = new Map<string, { subject: string; output: string }>();
  for (const entry of entries) {
    if (entry.type !== 'assistant' && entry.type !== 'user') continue;
    const { content } = entry.message;
    if (!Array.isArray(content)) continue;
    for (const block of content as readonly (AssistantBlock | UserBlock)[]) {
      const subject = block.type === 'tool_use' ? findSubject(block.input) : undefined;
      if (block.type === 'tool_use' && subject !== undefined)
        subjects.set(block.id, { subject: subject.trim().replace(/\s*\n\s*/g, ' ⏎ '), output: '' });
      const call = block.type === 'tool_result' ? subjects.get(block.tool_use_id) : undefined;
      if (block.type === 'tool_result' && call !== undefined)
        call.output = textOfContent(block.content ?? '');
    }
  }
  return subjects;
}

/** Of a subject, in the line of its iteration. */
const SUBJECT_CHARS = 60;
/** Of what a call that failed wrote. */
const OUTPUT_LINES = 6;

/** Its line, followed by the end of the output of its failed calls. */
function formatIteration(iteration: ExplainedIteration, subjects: Subjects): string[] {
  const failed = iteration.record?.tools.filter(({ outcome }) => outcome === 'error') ?? [];
  return [
    formatIterationLine(iteration, subjects),
    ...failed.flatMap(({ id }) => {
      const call = subjects.get(id);
      if (call === undefined) return [];
      const output = call.output.trim().split('\n').slice(-OUTPUT_LINES);
      return [`     ${call.subject}`, ...output.map((line) => `       ${line}`)];
    }),
  ];
}

/** The models of an iteration, with the reason of each exchange. */
function exchanged({ before = [], ...last }: NonNullable<DecisionRecord['fallback']>): string {
  const hops = [...before, last].map(
    ({ to, trigger }) => ` → ${to}${trigger === undefined ? '' : ` (${trigger})`}`,
  );
  return [(before[0] ?? last).from, ...hops].join('');
}

function formatIterationLine({ iteration, model, record }: ExplainedIteration, subjects: Subjects): string {
  const number = `${iteration}`.padStart(3);
  if (record === undefined) return `${number}  ${model}  cut off here`;
  const parts = [
    record.in ?? 'start',
    record.fallback === undefined ? model : exchanged(record.fallback),
    ...formatAttempts(record.attempts),
    ...formatSteps(record),
    ...formatUsage(record),
    ...(record.tools.length === 0
      ? []
      : [`tools: ${record.tools.map((tool) => toolText(tool, subjects)).join(', ')}`]),
    ...formatRules(record),
    ...formatChecks(record),
    record.decision?.sentence ?? 'cut off here',
  ];
  return `${number}  ${parts.filter((part) => part !== '').join('  ')}`;
}

function formatAttempts(attempts: readonly AttemptRecord[]): string[] {
  if (attempts.length === 0) return [];
  const texts = attempts.map(({ outcome, status, waitedMs, startMs, endMs }) => {
    const waited = waitedMs === undefined || waitedMs === 0 ? '' : ` after ${duration(waitedMs)}`;
    return `${outcome}${status === undefined || outcome === 'complete' ? '' : ` ${status}`}${waited} (${duration(endMs - startMs)})`;
  });
  return [`${attempts.length === 1 ? '1 attempt' : `${attempts.length} attempts`}: ${texts.join(', ')}`];
}

function formatSteps({ prepare }: DecisionRecord): string[] {
  const ran = prepare.filter((step) => step.ran);
  if (ran.length === 0) return [];
  return [
    `prepared: ${ran.map((step) => `${step.step} ${step.tokensBefore ?? 0} → ${step.tokensAfter ?? step.tokensBefore ?? 0} tokens`).join(', ')}`,
  ];
}

function formatUsage({ usage, costUsd }: DecisionRecord): string[] {
  if (usage === undefined) return [];
  const cost = costUsd === undefined ? '' : `, $${costUsd.toFixed(4)}`;
  const { input_tokens, cache_read_input_tokens, cache_creation_input_tokens, output_tokens } = usage;
  return [
    `in ${input_tokens} (cache read ${cache_read_input_tokens}, written ${cache_creation_input_tokens}), out ${output_tokens}${cost}`,
  ];
}

const PLACES = {
  sandbox: ' in the sandbox',
  excluded: ' outside of the sandbox, as the settings say',
  override: ' outside of the sandbox, as the call asked',
} as const;

function toolText({ id, name, outcome, ranIn, startedMs, endedMs }: ToolTrace, subjects: Subjects): string {
  const call = subjects.get(id);
  const shown = call === undefined ? name : `${name} \`${shortened(call.subject)}\``;
  return startedMs === undefined
    ? `${shown} ${outcome}`
    : `${shown} ${outcome}${ranIn === undefined ? '' : PLACES[ranIn]} ${duration(endedMs - startedMs)}`;
}

/** Of a path the end says more than the beginning. */
function shortened(subject: string): string {
  if (subject.length <= SUBJECT_CHARS) return subject;
  return /^\/\S*$/.test(subject)
    ? `…${subject.slice(-SUBJECT_CHARS)}`
    : `${subject.slice(0, SUBJECT_CHARS)}…`;
}

function formatRules({ rules }: DecisionRecord): string[] {
  const deciding = rules.filter(({ verdict }) => verdict !== 'pass');
  return deciding.map(({ name, read }) => {
    const facts = Object.entries(read ?? {}).map(([fact, value]) => `${fact}=${JSON.stringify(value)}`);
    return `rule: ${name}${facts.length === 0 ? '' : ` (${facts.join(', ')})`}`;
  });
}

function formatChecks({ checks = [] }: DecisionRecord): string[] {
  if (checks.length === 0) return [];
  const texts = checks.map(({ kind, name, outcome, why, by, toolUseId }) => {
    if (outcome !== 'passed') return (why ?? `${kind} ${name} ${outcome}`).replace(/\.$/, '');
    return `${kind} \`${shortened(name)}\` passed${by === undefined ? '' : ` by the ${by}'s call ${toolUseId}`}`;
  });
  return [`checked: ${texts.join('; ')}`];
}

function duration(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`;
}
