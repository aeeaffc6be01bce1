/**
 * Resume (L4.1): `resumeSession` is a pure function of the journal, and `openEarlierRecords` reads the
 * journal to continue a session, or to copy it for a fork. One pass over the records, in order, feeds three
 * folds: the view, the open submission, and the other facts. For any prefix of a journal the returned view
 * becomes a valid conversation once the records that close or reopen the open submission are appended.
 */
import type { UserMessage } from '../../protocol/model/messages.ts';
import type { JournalStore } from '../../protocol/ports.ts';
import type { DecisionRecord } from '../../protocol/session/decision-record.ts';
import type { JournalBody, JournalEntry } from '../../protocol/session/journal.ts';
import { changesView, isCompaction, retractedBy } from '../../view/changes.ts';
import { isMainRequest, ViewFold } from '../../view/fold.ts';
import { resultIds } from '../../view/tool-results.ts';
import type { JournalWriter } from '../journal/journal-writer.ts';
import { messageOfRecord, promptText } from '../journal/message-record.ts';
import { readEntries } from '../journal/read-journal.ts';
import { type InterruptedSubmission, interruptedSubmission } from './interrupted.ts';
import { noProblems, type ResumeProblems, recordsInOrder } from './record-order.ts';
import { rewoundTo } from './rewind.ts';
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
  /** Of the last submission: the name of its model, if that is not the id, and the effort that was set. */
  readonly chosen: Pick<SubmissionState, 'effort' | 'modelName'>;
  /** Of the last submission, in order. */
  readonly decisions: readonly DecisionRecord[];
  readonly problems: Readonly<ResumeProblems>;
}

/** `sidechain`: these are the records of an agent, not of a session. */
export function resumeSession(
  entries: Iterable<JournalEntry>,
  of: { readonly sidechain?: boolean } = {},
): ResumedSession {
  const problems = noProblems();
  const pass = new Pass(problems);
  for (const entry of recordsInOrder(entries, problems, of)) pass.apply(entry);
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
      chosen: { modelName: this.#last?.modelName, effort: this.#last?.effort },
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
    this.#facts.submissionBegins();
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

interface ResumeOptions {
  /** Id of the session that is resumed. */
  readonly resume: string;
  /** Its conversation is copied into the session that is opened. Default false. */
  readonly forkSession?: boolean | undefined;
  /** uuid of the last message that counts. Default: the last one. */
  readonly resumeSessionAt?: string | undefined;
  /** uuid of the only prompt whose turn may be lost by that. */
  readonly resumeDropsTurn?: string | undefined;
}

interface EarlierRecords {
  /** Reads them. Called once the session is taken over: an earlier owner can write nothing more. */
  recover(writer: JournalWriter): Promise<ResumedSession>;
}

/** Rejects with `invalid_option` or `resume_rejected` when the session cannot be resumed as requested. */
export async function openEarlierRecords(
  store: JournalStore,
  { resume, forkSession, resumeSessionAt: to, resumeDropsTurn }: ResumeOptions,
): Promise<EarlierRecords> {
  const rewound =
    to === undefined ? undefined : rewoundTo(await readEntries(store, resume), to, resumeDropsTurn);
  return {
    async recover(writer) {
      if (forkSession === true)
        return copied(resumeSession(rewound?.kept ?? (await readEntries(store, resume))), resume, writer);
      const isRewound = to !== undefined && rewound !== undefined && rewound.dropped.length > 0;
      if (isRewound) await writer.append([rewindRecord(to, rewound.dropped, writer.epoch)]);
      const gathered = isRewound ? undefined : writer.takeEarlier();
      return resumeSession(gathered ?? (await readEntries(store, resume)));
    },
  };
}

function rewindRecord(to: string, uuids: readonly string[], epoch: number): JournalBody {
  const submission = `rewind/${epoch}`;
  return { type: 'rewind', id: submission, submission, to, uuids };
}

/** Records the other session's conversation, with open calls answered, and its cost as this one's. */
async function copied(earlier: ResumedSession, from: string, writer: JournalWriter): Promise<ResumedSession> {
  if (earlier.interrupted !== undefined) earlier.view.apply(earlier.interrupted.closing);
  const submission = `fork/${from}`;
  const copies = [...earlier.view.messages].map((message) =>
    message.type === 'assistant' ? { ...message, submission, iteration: 0 } : { ...message, submission },
  );
  const cost = { type: 'cost', id: `${submission}/cost`, submission, ...earlier.totals } as const;
  const { mainAgent: agentSetting } = earlier;
  const agent = { type: 'agent-setting', id: `${submission}/agent`, submission } as const;
  await writer.append([...(agentSetting === undefined ? [] : [{ ...agent, agentSetting }]), ...copies, cost]);
  const view = new ViewFold();
  view.apply(copies);
  return {
    ...earlier,
    view,
    interrupted: undefined,
    counted: undefined,
    compactedTokens: 0,
    title: undefined,
    tasks: [],
    agents: [],
    consumed: new Set(),
  };
}
