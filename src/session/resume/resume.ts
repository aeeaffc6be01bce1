/**
 * Resume (L4.1): a pure function of the journal. One pass over the records, in order, feeds three folds: the
 * view, the open submission, and the other facts. For any prefix of a journal the returned view becomes a
 * valid conversation once the records that close or reopen the open submission are appended.
 */
import type { UserMessage } from '../../protocol/model/messages.ts';
import type { DecisionRecord } from '../../protocol/session/decision-record.ts';
import type { JournalEntry } from '../../protocol/session/journal.ts';
import { changesView, isCompaction, retractedBy } from '../../view/changes.ts';
import { isMainRequest, ViewFold } from '../../view/fold.ts';
import { resultIds } from '../../view/tool-results.ts';
import { messageOfRecord, promptText } from '../journal/message-record.ts';
import { type InterruptedSubmission, interruptedSubmission } from './interrupted.ts';
import { noProblems, type ResumeProblems, recordsInOrder } from './record-order.ts';
import { FactsFold, type SessionFacts } from './session-facts.ts';
import { SubmissionState } from './submission-state.ts';

/** A session as restored from its journal: what a later process needs to continue it. */
export interface ResumedSession extends SessionFacts {
  /**
   * The conversation after boundaries, edits and retractions. Calls of an interrupted response are still
   * open: a later result is placed beside its call.
   */
  readonly view: ViewFold;
  /** The submission without a result; undefined if there is none. */
  readonly interrupted: InterruptedSubmission | undefined;
  /** Those of `consumed` whose submission has its result. */
  readonly answered: ReadonlySet<string>;
  /** Of the last submission. */
  readonly model: string | undefined;
  /** Of the last submission, in order. */
  readonly decisions: readonly DecisionRecord[];
  readonly problems: Readonly<ResumeProblems>;
}

export function resumeSession(entries: Iterable<JournalEntry>): ResumedSession {
  const problems = noProblems();
  const pass = new Pass(problems);
  for (const entry of recordsInOrder(entries, problems)) pass.apply(entry);
  return pass.finish();
}

type MessageEntry = JournalEntry & { readonly type: 'user' | 'assistant' | 'attachment' };

class Pass {
  readonly #problems: ResumeProblems;
  readonly #view: ViewFold;
  readonly #facts = new FactsFold();
  /** The submission without a result. */
  #open: SubmissionState | undefined;
  #last: SubmissionState | undefined;
  #timestamp = '';

  constructor(problems: ResumeProblems) {
    this.#problems = problems;
    this.#view = new ViewFold(problems);
  }

  apply(entry: JournalEntry): void {
    if (entry.timestamp !== '') this.#timestamp = entry.timestamp;
    try {
      this.#apply(entry);
    } catch {
      // A record with the type but not the shape of one.
      this.#problems.malformed++;
    }
  }

  finish(): ResumedSession {
    const interrupted = this.#open && interruptedSubmission(this.#open, this.#view, this.#timestamp);
    if (interrupted === undefined) this.#view.end();
    const facts = this.#facts.facts(this.#view.messages);
    const unanswered = new Set(interrupted?.prompts);
    return {
      ...facts,
      view: this.#view,
      interrupted,
      answered: new Set([...facts.consumed].filter((prompt) => !unanswered.has(prompt))),
      model: this.#last?.model || undefined,
      decisions: this.#last?.decisions ?? [],
      problems: this.#problems,
    };
  }

  #apply(entry: JournalEntry): void {
    const own = 'submission' in entry && entry.submission === this.#open?.id ? this.#open : undefined;
    switch (entry.type) {
      case 'submission':
        this.#view.apply([entry]);
        if (own === undefined || entry.carriesOn !== true) this.#begin(new SubmissionState(entry));
        break;
      case 'request':
        if (own === undefined || !isMainRequest(entry)) break;
        own.apply(entry);
        this.#facts.apply(entry);
        this.#view.apply([entry]);
        break;
      case 'response':
        this.#facts.response(entry, this.#view.answers);
        own?.apply(entry);
        break;
      case 'user':
      case 'assistant':
      case 'attachment':
        this.#message(entry, own);
        break;
      case 'system':
        if (entry.subtype === 'compact_boundary' && entry.v === 0) this.#view.foreignBoundary(entry);
        this.#facts.apply(entry);
        break;
      case 'result':
        if (own === undefined) break;
        this.#open = undefined;
        this.#view.end();
        break;
      default:
        if (changesView(entry)) {
          this.#view.apply([entry]);
          this.#facts.viewChanged(isCompaction(entry));
          own?.retract(retractedBy(entry));
        } else {
          // Records of other programs and of later versions change nothing.
          this.#facts.apply(entry);
          own?.apply(entry);
        }
    }
  }

  #begin(submission: SubmissionState): void {
    this.#open = submission;
    this.#last = submission;
  }

  #message(entry: MessageEntry, own: SubmissionState | undefined): void {
    const message = messageOfRecord(entry);
    if (message === undefined) {
      this.#problems.malformed++;
      return;
    }
    this.#view.add(message);
    this.#facts.message(message, entry);
    if (message.type !== 'attachment') own?.say(message);
    if (message.type !== 'user') return;
    if (resultIds(message).length > 0) this.#open?.answered();
    else this.#prompt(message, entry);
  }

  #prompt(message: UserMessage, entry: JournalEntry): void {
    if (message.kind === 'prompt' || message.kind === 'command') this.#consume(message.uuid);
    if (entry.v !== 0) this.#open?.prompted(message);
    else if (promptText(message) !== undefined) {
      // Another program's transcript has no submissions: a prompt begins one.
      const submission = `transcript-${entry.sessionId || 'session'}`;
      this.#begin(new SubmissionState({ submission, model: '' }, { foreign: true }));
      this.#open?.prompted(message);
      this.#consume(message.uuid);
    }
  }

  #consume(uuid: string): void {
    this.#facts.consumed(uuid);
    this.#open?.prompts.push(uuid);
  }
}
