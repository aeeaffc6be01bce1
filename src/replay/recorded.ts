/**
 * What a journal holds of the runs of its loop: for each run its iterations, and for each iteration what its
 * ports answered, in order.
 */
import type {
  AssistantMessage,
  AttachmentMessage,
  SystemMessage,
  UserMessage,
  ViewMessage,
} from '../protocol/model/messages.ts';
import type { DecisionRecord } from '../protocol/session/decision-record.ts';
import type { JournalBody, JournalEntry } from '../protocol/session/journal.ts';
import type { ResumePoint } from '../protocol/session/resume-point.ts';
import type { RunFacts, Told } from '../protocol/session/told.ts';
import { messageOfRecord } from '../session/journal/message-record.ts';
import { noProblems, recordsInOrder } from '../session/resume/record-order.ts';
import { resumeSession } from '../session/resume/resume.ts';
import type { PersistentList } from '../util/collections/persistent-list.ts';
import { isMainRequest, ViewFold } from '../view/fold.ts';
import { resultIds } from '../view/tool-results.ts';
import { readForeign } from './foreign.ts';

type RecordOf<T extends JournalBody['type']> = Extract<JournalEntry, { type: T }>;
export type EditRecord = RecordOf<'replacement' | 'snip' | 'collapse' | 'boundary'>;

/** One attempt at a request, and what came of it. */
export interface RecordedAttempt {
  readonly model: string;
  /** Output cap, as it was sent. */
  readonly maxTokens: number;
  readonly number: number;
  /** Waits before it, as they were announced. */
  readonly retries: readonly SystemMessage[];
  /** The blocks that were finished, in order. */
  readonly blocks: AssistantMessage[];
  /** Absent: no message began, or the process ended first. */
  response: RecordOf<'response'> | undefined;
}

export interface RecordedResult {
  readonly message: UserMessage;
  /** Messages that came with it. */
  readonly more: UserMessage[];
}

export interface RecordedIteration {
  readonly number: number;
  /** Absent: another program's transcript. */
  readonly record: DecisionRecord | undefined;
  readonly told: Told;
  readonly querySource: string;
  readonly attempts: readonly RecordedAttempt[];
  /** In the order in which they ended. */
  readonly results: ReadonlyMap<string, RecordedResult>;
  readonly attachments: readonly AttachmentMessage[];
  /** Prompts that joined the turn, by key. */
  readonly consumed: readonly string[];
  readonly edits: readonly EditRecord[];
  /** What the loop itself wrote: messages and retractions, in order. */
  readonly written: readonly JournalEntry[];
  /** uuids of the messages that the loop itself made, in order; '' where it announced a retraction. */
  readonly made: readonly string[];
  /** Messages for the user that context steps announced. */
  readonly notices: readonly SystemMessage[];
  readonly parked: RecordOf<'parked'> | undefined;
  /** Estimated tokens of a request outside its messages. undefined: not recorded. */
  head: number | undefined;
  /** What another program's transcript implies. */
  readonly implied?: 'continue' | 'stop';
}

/** One run of the loop: from the beginning of a submission, or from where a process took it up, to its end. */
export interface RecordedRun {
  readonly sessionId: string;
  readonly submission: string;
  /** Number of the submission in the journal, from 1. */
  readonly ordinal: number;
  readonly agentPath: string;
  /** The owner of the journal: what a process has learned, later runs of it know. */
  readonly epoch: number;
  /** As configured. */
  readonly model: string;
  readonly facts: RunFacts | undefined;
  readonly view: PersistentList<ViewMessage>;
  readonly startAt: ResumePoint | undefined;
  /** Tokens that the provider had counted, where a process took the session up. */
  counted():
    | { readonly length: number; readonly tokens: number; readonly model: string | undefined }
    | undefined;
  readonly iterations: readonly RecordedIteration[];
  /** What the journal does not hold of this run. */
  readonly missing: readonly string[];
}

/** In the order of the journal. `sidechain`: it is the journal of an agent. */
export function readRecorded(
  entries: Iterable<JournalEntry>,
  { sidechain = false }: { readonly sidechain?: boolean } = {},
): readonly RecordedRun[] {
  const ordered = recordsInOrder(entries, noProblems(), { sidechain });
  const records = sidechain ? ordered.map((entry) => ({ ...entry, isSidechain: false })) : ordered;
  const runs: RecordedRun[] = [];
  const ids = new Map<string, number>();
  if (records.some(({ v, type }) => v === 0 && type === 'assistant')) runs.push(...readForeign(records));
  const views = new Views(records);
  const starts = records.flatMap((entry, at) => (entry.type === 'submission' ? [at] : []));
  // The journal of an agent has no record of a submission.
  if (starts.length === 0 && records.some(({ type }) => type === 'decision')) starts.push(-1);
  for (const [index, at] of starts.entries()) {
    const end = starts[index + 1] ?? records.length;
    const begin = records[at] ?? records[0];
    if (begin === undefined || !('submission' in begin)) continue;
    const { submission } = begin;
    const ordinal = ids.get(submission) ?? ids.size + 1;
    ids.set(submission, ordinal);
    const run = readRun(records, { at, end, submission, ordinal }, views);
    if (run !== undefined) runs.push(run);
  }
  fillHeads(runs.flatMap(({ iterations }) => iterations));
  return runs;
}

/** A size holds until the next one; before the first one is told, it is that one. */
function fillHeads(iterations: readonly RecordedIteration[]): void {
  let head = iterations.find((each) => each.head !== undefined)?.head;
  for (const each of iterations) head = each.head ??= head;
}

interface Place {
  readonly at: number;
  readonly end: number;
  readonly submission: string;
  readonly ordinal: number;
}

/** Where an owner of the journal began to write. */
const beginOf = (epoch: number | undefined, records: readonly JournalEntry[]): number =>
  Math.max(
    0,
    records.findIndex((entry) => entry.epoch === epoch),
  );

/** The conversation at places of the journal, asked for in order. One process has one list, which grows. */
class Views {
  readonly #records: readonly JournalEntry[];
  #fold = new ViewFold();
  #upTo = 0;
  #epoch: number | undefined;

  constructor(records: readonly JournalEntry[]) {
    this.#records = records;
  }

  /** `cut`: behind the last record before its loop. */
  before(cut: number): PersistentList<ViewMessage> {
    const epoch = this.#records[cut]?.epoch;
    if (epoch !== this.#epoch) {
      this.#upTo = beginOf(epoch, this.#records);
      this.#fold = resumeSession(this.#records.slice(0, this.#upTo)).view;
    }
    this.#epoch = epoch;
    for (; this.#upTo < cut; this.#upTo++) this.#apply(this.#records[this.#upTo] as JournalEntry);
    return this.#fold.messages;
  }

  #apply(entry: JournalEntry): void {
    if (entry.type !== 'user' && entry.type !== 'assistant' && entry.type !== 'attachment') {
      this.#fold.apply([entry]);
      return;
    }
    const message = messageOfRecord(entry);
    if (message !== undefined) this.#fold.add(message);
  }
}

function readRun(records: readonly JournalEntry[], place: Place, views: Views): RecordedRun | undefined {
  const { at, end, submission, ordinal } = place;
  const own = records.slice(at + 1, end).filter((entry) => isOf(entry, submission));
  const begin = records[at];
  const carriesOn = begin?.type === 'submission' && begin.carriesOn === true;
  const startAt = carriesOn ? resumeSession(records.slice(0, at)).interrupted?.startAt : undefined;
  const isAnswered = startAt?.response !== undefined;
  let first = own.findIndex((entry) => beginsLoop(entry) || (isAnswered && goesOnWithCalls(entry)));
  while (first > 0 && own[first - 1]?.type === 'system') first--;
  const decided = own.findLastIndex(({ type }) => type === 'decision');
  if (first < 0 || decided < first) return undefined;
  const cut = records.indexOf(own[first] as JournalEntry);
  const iterations: RecordedIteration[] = [];
  let from = first;
  for (let to = first; to <= decided; to++) {
    const entry = own[to] as JournalEntry;
    if (entry.type !== 'decision') continue;
    iterations.push(
      readIteration(own.slice(from, to + 1), entry, to === decided ? parkedIn(own, to) : undefined),
    );
    from = to + 1;
  }
  const [one] = iterations;
  const facts = one?.told.run;
  const firstRecord = own[first] as JournalEntry;
  return {
    sessionId: firstRecord.sessionId,
    submission,
    ordinal,
    agentPath: one?.record?.agentPath ?? '',
    epoch: firstRecord.epoch,
    model: begin?.type === 'submission' ? begin.model : (one?.attempts[0]?.model ?? ''),
    facts,
    view: views.before(cut),
    startAt,
    counted: () => resumeSession(records.slice(0, beginOf(firstRecord.epoch, records))).counted,
    iterations,
    missing: facts === undefined ? NOT_TOLD : [],
  };
}

/** Of sessions of versions before these were recorded. */
const NOT_TOLD = [
  'the parameters of the run (fallback models, budgets, limits of the context, hooks): they are derived from the decisions',
];

const isOf = (entry: JournalEntry, submission: string): boolean =>
  'submission' in entry && entry.submission === submission;

/** Messages before that are the prompt and what came with it. */
function beginsLoop(entry: JournalEntry): boolean {
  if (entry.type === 'request') return isMainRequest(entry);
  if (entry.type === 'user') return WRITTEN_KINDS.has(entry.kind);
  if (entry.type === 'assistant') return true;
  return entry.type === 'decision' || (isEdit(entry) && /\/\d+\/\d+\/edit\//.test(entry.id));
}

/** The calls of an earlier process go on. Those whose outcome is unknown were answered before. */
function goesOnWithCalls(entry: JournalEntry): boolean {
  if (entry.type === 'intent') return true;
  return entry.type === 'user' && entry.kind === 'tool_result' && entry.nonExecution !== 'unknown_outcome';
}

function isEdit(entry: JournalEntry): entry is EditRecord {
  const { type } = entry;
  return type === 'replacement' || type === 'snip' || type === 'collapse' || type === 'boundary';
}

/** Kinds of user messages that the loop writes by itself. */
const WRITTEN_KINDS: ReadonlySet<string | undefined> = new Set([
  'nudge',
  'structured_nudge',
  'resume',
  'hook_feedback',
  'interruption',
]);

/** How the run was parked: recorded once the loop has ended. */
const parkedIn = (own: readonly JournalEntry[], decided: number): RecordOf<'parked'> | undefined =>
  own.find((entry, at): entry is RecordOf<'parked'> => at > decided && entry.type === 'parked');

/** Messages for the user that are the loop's own. */
const OWN_NOTICES = new Set<string>([
  'api_retry',
  'model_fallback',
  'model_refusal_fallback',
  'informational',
]);

function madeBy(entry: JournalEntry): readonly string[] {
  switch (entry.type) {
    case 'retract':
      return [''];
    case 'assistant':
      return entry.synthetic === undefined ? [] : [entry.uuid];
    case 'user':
      return WRITTEN_KINDS.has(entry.kind) ? [entry.uuid] : [];
    case 'attachment':
      return entry.attachment.type === 'hook_context' ? [entry.uuid] : [];
    case 'system':
      return OWN_NOTICES.has(entry.subtype) ? [entry.uuid] : [];
    default:
      return [];
  }
}

function readIteration(
  entries: readonly JournalEntry[],
  decision: RecordOf<'decision'>,
  parked: RecordOf<'parked'> | undefined,
): RecordedIteration {
  const { record, told = {} } = decision;
  const attempts: RecordedAttempt[] = [];
  const results = new Map<string, RecordedResult>();
  const attachments: AttachmentMessage[] = [];
  const edits: EditRecord[] = [];
  const written: JournalEntry[] = [];
  const notices: SystemMessage[] = [];
  const consumed: string[] = [];
  let retries: SystemMessage[] = [];
  let last: RecordedResult | undefined;
  let querySource = 'main';
  for (const entry of entries) {
    if (isEdit(entry)) edits.push(entry);
    switch (entry.type) {
      case 'request': {
        if (!isMainRequest(entry)) break;
        const { model, maxTokens, attempt: number } = entry;
        querySource = entry.querySource;
        attempts.push({ model, maxTokens, number, retries, blocks: [], response: undefined });
        retries = [];
        break;
      }
      case 'response': {
        const attempt = attempts.at(-1);
        if (attempt !== undefined) attempt.response = entry;
        break;
      }
      case 'assistant': {
        const message = messageOfRecord(entry);
        if (message?.type !== 'assistant') break;
        if (message.synthetic !== undefined) written.push(entry);
        else attempts.at(-1)?.blocks.push(message);
        break;
      }
      case 'user': {
        const message = messageOfRecord(entry);
        if (message?.type !== 'user') break;
        const [id] = resultIds(message);
        if (id !== undefined) {
          last = { message, more: [] };
          if (!results.has(id)) results.set(id, last);
        } else if (WRITTEN_KINDS.has(message.kind)) written.push(entry);
        else if (last !== undefined) last.more.push(message);
        break;
      }
      case 'attachment': {
        const message = messageOfRecord(entry);
        if (message?.type !== 'attachment') break;
        if (message.attachment.type === 'hook_context') written.push(entry);
        else attachments.push(message);
        break;
      }
      case 'system':
        if (entry.subtype === 'api_retry') retries.push(entry);
        else if (attempts.length === 0) notices.push(entry);
        break;
      case 'retract':
        written.push(entry);
        break;
      case 'inbox':
        consumed.push(...entry.consumed);
    }
  }
  return {
    number: record.iteration,
    record,
    told,
    querySource,
    attempts,
    results,
    attachments,
    consumed,
    edits,
    written,
    made: entries.flatMap(madeBy),
    notices,
    parked,
    head: told.head,
  };
}
