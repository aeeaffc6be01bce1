/** The iterations of one journal, the session's own or an agent's, gathered while its records are read. */

import { isRecord } from '@turnwright/base/json-values.ts';
import { textOfContent } from '@turnwright/base/text/text-blocks.ts';
import type { UserMessage } from '../../protocol/model/messages.ts';
import type { AssistantBlock, UserBlock } from '../../protocol/model/wire.ts';
import type { DecisionRecord } from '../../protocol/session/decision-record.ts';
import type { InspectedIteration } from '../../protocol/session/inspection.ts';
import type { JournalEntry } from '../../protocol/session/journal.ts';
import type { SpentTotals } from '../../protocol/session/spending.ts';
import { isMainRequest, ViewFold } from '../../view/fold.ts';
import { promptText } from '../journal/message-record.ts';
import { FactsFold } from '../resume/session-facts.ts';
import { type PriceLookup, ResumedBreaks } from '../resumed-breaks.ts';
import { typedWords } from '../typed-words.ts';
import type { PaidAnswer } from '../wasted-answers.ts';
import { failureIn, limitIn, type ToldEnd } from './sentences.ts';

/** What a call is about, and what it wrote. */
interface CallSubject {
  readonly name: string;
  readonly subject: string;
  /** ms since 1970 of the record that asks for it. */
  readonly since: number;
  isAnswered: boolean;
  /** The last lines of its output; kept for calls that failed. */
  failure: string;
}

export interface RowSoFar {
  readonly key: string;
  readonly submission: number;
  readonly iteration: number;
  readonly model: string;
  /** ms since 1970 of its request, or of its record. */
  readonly since: number;
  /** Until it is shown, if another iteration follows: what is shown takes its place. */
  record: DecisionRecord | undefined;
  shown: ShownRow | undefined;
  /** Of its last model call. */
  failure: ToldEnd['failure'];
  /** Calls of its answer, in order. */
  readonly calls: string[];
  /** Part of the answer is no longer in the conversation. */
  isLeft: boolean;
}

/** What is shown of a decided iteration: it stays the same object while nothing of it changes. */
interface ShownRow {
  readonly iteration: InspectedIteration;
  /** Changes when it is shown in another way. */
  readonly as: string;
  readonly paid: PaidAnswer;
}

export interface SubmissionSoFar {
  readonly id: string;
  readonly number: number;
  readonly since: number;
  until: number;
  prompt: string;
  hasResult: boolean;
  isParked: boolean;
  terminal: string | undefined;
  /** The spending limit that ended it. */
  limitUsd: number | undefined;
  costUsd: number | undefined;
  turns: number | undefined;
}

const SUBJECT_CHARS = 200;
const PROMPT_CHARS = 500;
const FAILURE_LINES = 6;
const FAILURE_CHARS = 1200;

/** Fields of an input that say what a call is about, the first one first. */
const SUBJECTS = ['command', 'file_path', 'notebook_path', 'pattern', 'url', 'query', 'description'] as const;

export class JournalRows {
  readonly rows: RowSoFar[] = [];
  readonly submissions: SubmissionSoFar[] = [];
  readonly subjects = new Map<string, CallSubject>();
  /** USD of the responses in this journal. */
  spentUsd = 0;
  title: string | undefined;
  cwd = '';
  sessionId = '';
  /** ms since 1970; 0: nothing was read. */
  first = 0;
  last = 0;
  /** Records of answers that another program wrote. */
  foreignAnswers = 0;
  hasForeign = false;
  agentType: string | undefined;
  /** Of agents that results of calls name. */
  readonly agentIds = new Set<string>();
  #seq = 0;
  readonly #breaks: ResumedBreaks;
  readonly #facts = new FactsFold();
  readonly #current = new Map<string, SubmissionSoFar>();
  readonly #keys = new Map<string, number>();
  readonly #rowOfUuid = new Map<string, RowSoFar>();

  constructor(priceOf: PriceLookup) {
    this.#breaks = new ResumedBreaks(priceOf);
  }

  /** Where the next reading begins. */
  get nextSeq(): number {
    return this.#seq + 1;
  }

  /** What the session has cost, agents included. */
  get totals(): Pick<SpentTotals, 'totalCostUsd'> & {
    readonly spending: NonNullable<SpentTotals['spending']>;
  } {
    const { totals } = this.#facts.facts(new ViewFold().messages);
    return totals;
  }

  /** In the order of the journal; one that was read before is passed over. */
  add(entry: JournalEntry): void {
    if (entry.seq <= this.#seq) return;
    this.#seq = entry.seq;
    try {
      this.#add(entry);
    } catch {
      // A record with the type but not the shape of one says nothing.
    }
  }

  #add(entry: JournalEntry): void {
    const completed = this.#breaks.complete(entry);
    const at = Date.parse(entry.timestamp);
    if (!Number.isNaN(at)) {
      if (this.first === 0) this.first = at;
      this.last = Math.max(this.last, at);
    }
    if (entry.cwd !== '') this.cwd ||= entry.cwd;
    if (entry.sessionId !== '') this.sessionId ||= entry.sessionId;
    if (entry.v === 0 && (entry.type === 'user' || entry.type === 'assistant')) this.hasForeign = true;
    const submission = 'submission' in entry ? this.#current.get(entry.submission) : undefined;
    if (submission !== undefined && !Number.isNaN(at)) submission.until = at;
    switch (entry.type) {
      case 'submission':
        this.#begin(entry.submission, at);
        this.#facts.submissionBegins();
        break;
      case 'request':
        this.#facts.apply(entry);
        if (isMainRequest(entry)) this.#request(entry, submission, at);
        break;
      case 'decision':
        this.#decided(completed ?? entry.record, submission, failureIn(entry.told));
        break;
      case 'response':
        this.#facts.response(entry, []);
        this.spentUsd += entry.costUsd;
        break;
      case 'assistant':
        this.#said(entry, at);
        break;
      case 'user':
        this.#answered(entry);
        if (submission !== undefined && submission.prompt === '') submission.prompt = promptOf(entry);
        if (entry.v === 0) this.#facts.message(entry, entry);
        break;
      case 'rewind':
        for (const uuid of entry.uuids) {
          const row = this.#rowOfUuid.get(uuid);
          if (row !== undefined) row.isLeft = true;
        }
        break;
      case 'parked':
        if (submission !== undefined) submission.isParked = true;
        break;
      case 'result':
        if (submission !== undefined) endWith(submission, entry.result);
        break;
      case 'custom-title':
        this.title = entry.customTitle;
        break;
      case 'attachment':
        break;
      default:
        if (entry.type === 'title') this.title = entry.title;
        this.#facts.apply(entry);
    }
  }

  #begin(id: string, at: number): void {
    const known = this.#current.get(id);
    if (known !== undefined) {
      known.isParked = false;
      return;
    }
    const number = this.submissions.length + 1;
    const begun: SubmissionSoFar = {
      id,
      number,
      since: at,
      until: at,
      prompt: '',
      hasResult: false,
      isParked: false,
      terminal: undefined,
      limitUsd: undefined,
      costUsd: undefined,
      turns: undefined,
    };
    this.#current.set(id, begun);
    this.submissions.push(begun);
  }

  #request(
    { iteration, model, querySource }: Extract<JournalEntry, { type: 'request' }>,
    submission: SubmissionSoFar | undefined,
    at: number,
  ): void {
    if (submission === undefined) return;
    submission.isParked = false;
    if (typeof querySource === 'string' && querySource.startsWith('agent:'))
      this.agentType ??= querySource.slice('agent:'.length);
    const open = this.rows.at(-1);
    if (open?.iteration === iteration && open.submission === submission.number && !isDecided(open)) return;
    this.#push(submission, { iteration, model, since: at });
  }

  #push(
    { number }: SubmissionSoFar,
    row: Pick<RowSoFar, 'iteration' | 'model' | 'since'> & Partial<Pick<RowSoFar, 'record' | 'failure'>>,
  ): RowSoFar {
    const name = `${number}.${row.iteration}`;
    const times = (this.#keys.get(name) ?? 0) + 1;
    this.#keys.set(name, times);
    const key = times === 1 ? name : `${name}~${times}`;
    const pushed = {
      record: undefined,
      shown: undefined,
      failure: undefined,
      ...row,
      key,
      submission: number,
      calls: [],
      isLeft: false,
    };
    this.rows.push(pushed);
    return pushed;
  }

  #decided(
    record: DecisionRecord,
    submission: SubmissionSoFar | undefined,
    failure: ToldEnd['failure'],
  ): void {
    if (submission === undefined) return;
    const open = this.rows.findLast(
      (row) => row.submission === submission.number && row.iteration === record.iteration,
    );
    // A parked iteration is decided again by the run that continues it.
    if (open !== undefined && (!isDecided(open) || open.record?.decision?.kind === 'park')) {
      open.record = record;
      open.shown = undefined;
      open.failure = failure;
    } else
      this.#push(submission, {
        iteration: record.iteration,
        model: record.request?.model ?? '',
        since: Date.parse(record.startedAt),
        record,
        failure,
      });
  }

  /** What is shown of the row takes the place of its record, which is many times its size. */
  drop(row: RowSoFar): void {
    row.record = undefined;
    for (const id of row.calls.splice(0)) this.subjects.delete(id);
  }

  #said(entry: Extract<JournalEntry, { type: 'assistant' }>, since: number): void {
    if (entry.v === 0) {
      this.foreignAnswers += 1;
      this.#facts.message(entry, entry);
    }
    const row = this.rows.at(-1);
    if (row !== undefined) this.#rowOfUuid.set(entry.uuid, row);
    for (const block of entry.message.content as readonly AssistantBlock[]) {
      if (block.type !== 'tool_use' || this.subjects.has(block.id)) continue;
      const { id, name, input } = block;
      this.subjects.set(id, { name, subject: subjectOf(input), since, isAnswered: false, failure: '' });
      row?.calls.push(id);
    }
  }

  #answered(entry: Extract<JournalEntry, { type: 'user' }>): void {
    const { toolUseResult, message } = entry;
    const { content } = message;
    if (!Array.isArray(content)) return;
    const agentId = isRecord(toolUseResult) ? toolUseResult['agentId'] : undefined;
    if (typeof agentId === 'string') this.agentIds.add(agentId);
    for (const block of content as readonly UserBlock[]) {
      const call = block.type === 'tool_result' ? this.subjects.get(block.tool_use_id) : undefined;
      if (block.type !== 'tool_result' || call === undefined) continue;
      call.isAnswered = true;
      if (block.is_error === true) call.failure = lastLines(textOfContent(block.content ?? ''));
    }
  }
}

const isDecided = ({ record, shown }: RowSoFar): boolean => record !== undefined || shown !== undefined;

function subjectOf(input: Readonly<Record<string, unknown>>): string {
  const found = SUBJECTS.map((field) => input?.[field]).find((value) => typeof value === 'string');
  return typeof found === 'string'
    ? shortenSubject(found.trim().replace(/\s*\n\s*/g, ' ⏎ '), SUBJECT_CHARS)
    : '';
}

/** Of a path the end says more than the beginning. */
export function shortenSubject(text: string, chars: number): string {
  if (text.length <= chars) return text;
  return /^\/\S*$/.test(text) ? `…${text.slice(-chars)}` : `${text.slice(0, chars)}…`;
}

const lastLines = (text: string): string =>
  text.trim().split('\n').slice(-FAILURE_LINES).join('\n').slice(-FAILURE_CHARS);

function promptOf(message: UserMessage): string {
  const text =
    promptText(message) ?? (message.kind === 'command' ? textOfContent(message.message.content) : '');
  const { words, command } = typedWords(text);
  return shortenSubject((words ?? command ?? text).trim(), PROMPT_CHARS);
}

function endWith(submission: SubmissionSoFar, result: unknown): void {
  const fields = (result ?? {}) as Readonly<Record<string, unknown>>;
  const { terminal_reason: reason, subtype, num_turns: turns, total_cost_usd: cost } = fields;
  submission.hasResult = true;
  submission.limitUsd = limitIn(result);
  submission.isParked = false;
  submission.terminal =
    typeof reason === 'string' ? reason : typeof subtype === 'string' ? subtype : undefined;
  if (typeof turns === 'number') submission.turns = turns;
  if (typeof cost === 'number') submission.costUsd = cost;
}
