/** The runs of the loop that a journal holds. */

import type { PersistentList } from '@turnwright/base/collections/persistent-list.ts';
import type { ViewMessage } from '../protocol/model/messages.ts';
import type { JournalEntry } from '../protocol/session/journal.ts';
import { messageOfRecord } from '../session/journal/message-record.ts';
import { isRedacted } from '../session/redact-records.ts';
import { noProblems, recordsInOrder } from '../session/resume/record-order.ts';
import { resumeSession } from '../session/resume/resume.ts';
import { isMainRequest, ViewFold } from '../view/fold.ts';
import { readForeign } from './foreign.ts';
import { isEdit, parkedIn, readIteration, WRITTEN_KINDS } from './read-iteration.ts';
import type { RecordedIteration, RecordedRun } from './recorded.ts';

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

/** A size holds until the next one; before the first one it is that one. */
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
    isRedacted: isRedacted(firstRecord),
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
