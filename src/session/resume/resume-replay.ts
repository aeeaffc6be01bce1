import type { TodoItem } from '../../protocol/model/attachment.ts';
import type { AssistantMessage, UserMessage } from '../../protocol/model/messages.ts';
import type { JournalEntry } from '../../protocol/session/journal.ts';
import { listOf } from '../../util/collections/list-of.ts';
import { changesView, isCompaction, retractedBy } from '../../view/changes.ts';
import { isMainRequest, ViewFold } from '../../view/fold.ts';
import { isErrorFor, resultIds } from '../../view/tool-results.ts';
import { messageOfRecord } from '../journal/message-record.ts';
import { interruptedSubmission } from './interrupted.ts';
import { LastCount } from './last-count.ts';
import { promptText } from './prompt-text.ts';
import { ToolFacts } from './replayed-tool-state.ts';
import type { ResumeProblems } from './resume-problems.ts';
import type { ResumedSession } from './resumed-session.ts';
import { NO_TOTALS, recordedTotals, type SessionTotals, withResponse } from './session-totals.ts';
import { type RecordOf, SubmissionState } from './submission-state.ts';
import { TaskReplay } from './task-replay.ts';
import { todosOf } from './todos.ts';

/** The fold behind `resumeSession`: one record at a time. */
export class ResumeReplay {
  readonly #problems: ResumeProblems;
  readonly #view: ViewFold;
  #state: SubmissionState | undefined;
  #submissions = 0;
  #cwd: string | undefined;
  #sessionId: string | undefined;
  #head = 0;
  #timestamp = '';
  #lastUuid: string | null = null;
  #totals: SessionTotals = NO_TOTALS;
  #askedModel = 'unknown';
  #compactedTokens = 0;
  readonly #count = new LastCount();
  #lastResult: unknown;
  #finished: SubmissionState | undefined;
  #todos: readonly TodoItem[] = [];
  readonly #tasks = new TaskReplay();
  readonly #todoCalls = new Map<string, readonly TodoItem[]>();
  readonly #toolFacts = new ToolFacts();
  #title: string | undefined;
  #firstPrompt: string | undefined;
  #snapshot: RecordOf<'context-snapshot'> | undefined;
  /**
   * Keys of queued prompts that joined a turn, and uuids of prompts: an inbox need not deliver them again.
   */
  readonly #consumed = new Set<string>();
  #foreign = false;
  /** Other programs repeat a response's usage on each of its blocks. */
  #countedResponse = '';

  constructor(problems: ResumeProblems) {
    this.#problems = problems;
    this.#view = new ViewFold(problems);
  }

  apply(entry: JournalEntry): void {
    this.#head = Math.max(this.#head, entry.seq);
    if (entry.timestamp !== '') this.#timestamp = entry.timestamp;
    if (entry.sessionId !== '') this.#sessionId ??= entry.sessionId;
    if (entry.cwd !== '') this.#cwd ??= entry.cwd;
    if (entry.v === 0) this.#foreign = true;
    try {
      this.#applyBody(entry);
    } catch {
      // A record with the type but not the shape of one.
      this.#problems.malformed++;
    }
  }

  #applyBody(entry: JournalEntry): void {
    const state = this.#state;
    const own =
      state !== undefined && 'submission' in entry && entry.submission === state.id ? state : undefined;
    if (changesView(entry)) {
      this.#count.edited(isCompaction(entry));
      this.#view.apply([entry]);
      own?.retract(retractedBy(entry));
      return;
    }
    switch (entry.type) {
      case 'submission':
        this.#view.apply([entry]);
        this.#submission(entry);
        break;
      case 'request':
        if (!isMainRequest(entry) || own === undefined) break;
        own.request(entry);
        this.#askedModel = entry.model;
        this.#view.apply([entry]);
        break;
      case 'response':
        this.#totals = withResponse(this.#totals, this.#askedModel, entry.usage, entry.costUsd, entry.broken);
        own?.response(entry);
        this.#count.answered(entry, this.#view.answers);
        break;
      case 'user':
      case 'assistant':
      case 'attachment':
        this.#message(entry, own);
        break;
      case 'system':
        this.#system(entry);
        break;
      case 'intent':
        own?.intent(entry);
        break;
      case 'unknown':
        own?.unknown.add(entry.toolUseId);
        break;
      case 'inbox':
        for (const key of listOf(entry.consumed)) this.#consumed.add(key);
        own?.prompts.push(...listOf(entry.consumed));
        break;
      case 'ask':
        own?.ask(entry);
        break;
      case 'answer':
        own?.answer(entry);
        break;
      case 'lent':
        own?.lent.push(...listOf(entry.rules));
        break;
      case 'denied':
        own?.denied.push(entry.denial);
        break;
      case 'cost':
        this.#totals = recordedTotals(entry);
        break;
      case 'decision':
        own?.decision(entry);
        break;
      case 'context-snapshot':
        this.#snapshot = entry;
        break;
      case 'title':
        this.#title = entry.title;
        break;
      case 'custom-title':
        this.#title = entry.customTitle;
        break;
      case 'result':
        this.#result(entry, own);
        break;
      case 'task':
        this.#tasks.record(entry, entry.timestamp);
        break;
      case 'queue':
      case 'file-change':
      case 'last-prompt':
      case 'rewind':
        break;
      default:
        // Of another program, or of a later version: kept in the file, ignored.
        this.#foreignRecord(entry);
        break;
    }
  }

  #submission(record: RecordOf<'submission'>): void {
    if (record.carriesOn === true && this.#state?.id === record.submission) return;
    this.#state = new SubmissionState(record);
    this.#submissions++;
    this.#lastResult = undefined;
  }

  #result(record: RecordOf<'result'>, own: SubmissionState | undefined): void {
    if (own === undefined) return;
    this.#finished = own;
    this.#state = undefined;
    this.#lastResult = record.result;
    this.#view.end();
  }

  #message(
    entry: JournalEntry & { readonly type: 'user' | 'assistant' | 'attachment' },
    own: SubmissionState | undefined,
  ): void {
    const message = messageOfRecord(entry);
    if (message === undefined) {
      this.#problems.malformed++;
      return;
    }
    this.#lastUuid = message.uuid;
    this.#view.add(message);
    this.#tasks.message(message);
    if (message.type !== 'attachment') own?.say(message);
    if (message.type === 'assistant') this.#assistant(message, entry.v === 0 && !('forkedFrom' in entry));
    else if (message.type === 'user') this.#user(message, entry);
  }

  /**
   * Responses in another program's transcript carry their own usage; that of a fork belongs to the original
   * session.
   */
  #assistant(message: AssistantMessage, carriesBill: boolean): void {
    for (const block of message.message.content) {
      const todos =
        block.type === 'tool_use' && block.name === 'TodoWrite' ? todosOf(block.input) : undefined;
      if (block.type === 'tool_use' && todos !== undefined) this.#todoCalls.set(block.id, todos);
      if (block.type === 'tool_use') this.#toolFacts.called(block);
    }
    if (!carriesBill || message.synthetic !== undefined || message.message.id === this.#countedResponse)
      return;
    this.#countedResponse = message.message.id;
    this.#totals = withResponse(this.#totals, message.message.model, message.message.usage, 0);
  }

  #user(message: UserMessage, entry: JournalEntry): void {
    const ids = resultIds(message);
    for (const id of ids) {
      const todos = this.#todoCalls.get(id);
      if (todos !== undefined && !isErrorFor(message, id)) this.#todos = todos;
      if (!isErrorFor(message, id)) this.#toolFacts.answered(id, message);
    }
    if (ids.length > 0) {
      this.#state?.result();
      return;
    }
    this.#firstPrompt ??= promptText(message);
    if (message.kind === 'prompt' || message.kind === 'command') this.#prompt(message.uuid);
    if (entry.v === 0) this.#foreignPrompt(message, entry);
    else if (this.#state !== undefined) {
      this.#state.prompted = true;
      if (message.kind === 'interruption') this.#state.interrupted = true;
    }
  }

  #prompt(uuid: string): void {
    this.#consumed.add(uuid);
    this.#state?.prompts.push(uuid);
  }

  /** Another program's transcript has no submissions: a prompt begins one. */
  #foreignPrompt(message: UserMessage, entry: JournalEntry): void {
    if (promptText(message) === undefined) return;
    this.#submissions++;
    const id = `transcript-${entry.sessionId || 'session'}`;
    this.#state = new SubmissionState(
      { submission: id, model: '', permissionMode: 'default' },
      { foreign: true },
    );
    this.#state.prompted = true;
    this.#prompt(message.uuid);
  }

  #system(record: RecordOf<'system'> & JournalEntry): void {
    if (typeof record.uuid === 'string') this.#lastUuid = record.uuid;
    if (record.subtype === 'microcompact_boundary') this.#count.clearedByApi();
    if (record.subtype !== 'compact_boundary') return;
    if (record.v === 0) this.#view.foreignBoundary(record);
    else this.#compactedTokens += record.compact_metadata?.pre_tokens ?? 0;
  }

  #foreignRecord(entry: never): void {
    const record = entry as unknown as Readonly<Record<string, unknown>>;
    if (record['type'] === 'summary' && typeof record['summary'] === 'string')
      this.#title ??= record['summary'];
  }

  finish(): ResumedSession {
    const last = this.#state ?? this.#finished;
    const open = this.#state && interruptedSubmission(this.#state, this.#view, this.#timestamp);
    if (open === undefined) this.#view.end();
    const view = this.#view.messages;
    return {
      open,
      view,
      fold: this.#view,
      counted: this.#count.in(view),
      cwd: this.#cwd,
      sessionId: this.#sessionId,
      head: this.#head,
      lastUuid: this.#lastUuid,
      totals: this.#totals,
      compactedTokens: this.#compactedTokens,
      submissions: this.#submissions,
      lastResult: this.#lastResult,
      decisions: last?.decisions ?? [],
      model: last?.model || undefined,
      permissionMode: last?.permissionMode,
      todos: this.#todos,
      tasks: this.#tasks.untold(),
      loadedTools: this.#toolFacts.loadedTools,
      plan: this.#toolFacts.plan,
      snipped: this.#toolFacts.snipped,
      title: this.#title,
      firstPrompt: this.#firstPrompt,
      contextSnapshot: this.#snapshot,
      consumed: this.#consumed,
      foreign: this.#foreign,
      problems: this.#problems,
    };
  }
}
