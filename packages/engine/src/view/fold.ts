/**
 * The one fold of journal records into the view: continued live while the journal is written, and repeated
 * when it is read. One response is a group: its blocks in order, then the results of its calls in the model's
 * order, then the other messages recorded with it. The records of one response may come in any order.
 */

import { PersistentList } from '@turnwright/base/collections/persistent-list.ts';
import type { AssistantMessage, UserMessage, ViewMessage } from '../protocol/model/messages.ts';
import type { ViewEdit } from '../protocol/model/view.ts';
import type { ToolUseBlock } from '../protocol/model/wire.ts';
import type { JournalBody } from '../protocol/session/journal.ts';
import { changesView, retractedBy, type ViewChange } from './changes.ts';
import { applyEdits, checkedEdits, corrected, withVoidThinking } from './edits.ts';
import { inCallOrder, listCalls, missingResult, onlyResults, resultIds } from './tool-results.ts';

/** What the fold finds missing in a damaged or foreign journal. */
export interface FoldProblems {
  /** Results without a call, or a second result for one. */
  orphanResults: number;
  /** Calls before the last response without a result; an error result was made for each. */
  missingResults: number;
}

export interface ReplayedCall {
  readonly block: ToolUseBlock;
  readonly assistantUuid: string;
  readonly result: UserMessage | undefined;
}

interface Group {
  readonly key: string;
  answers: AssistantMessage[];
  results: UserMessage[];
  rest: ViewMessage[];
}

const emptyGroup = (key: string): Group => ({ key, answers: [], results: [], rest: [] });

export class ViewFold {
  readonly #problems: FoldProblems;
  /** The messages before the group. */
  #done = PersistentList.from<ViewMessage>([]);
  #group: Group = emptyGroup('');
  /**
   * The whole view: `#done`, then the group. Appended to in place while records arrive in view order; else
   * rebuilt.
   */
  #messages = this.#done;
  /** The submission whose result is not recorded yet. */
  #submission: string | undefined;
  /** Counts submission records, as a resumed submission may number its iterations from the start. */
  #run = 0;
  /** Uuids of the results made for calls without one, by call id. */
  readonly #made = new Map<string, string>();
  /**
   * After another program's boundary: the kept tail, until the summary that precedes it in the view is read.
   */
  #tail: ViewMessage[] = [];

  constructor(problems: FoldProblems = { orphanResults: 0, missingResults: 0 }) {
    this.#problems = problems;
  }

  /** Calls of the last response without a result are left unanswered. */
  get messages(): PersistentList<ViewMessage> {
    return this.#messages;
  }

  /** Throws TypeError at a malformed retraction or edit, before it changes anything. */
  apply(records: readonly JournalBody[]): void {
    for (const record of records) this.#apply(record);
  }

  #apply(record: JournalBody): void {
    switch (record.type) {
      case 'submission':
        this.#run += 1;
        this.#submission = record.submission;
        return;
      case 'request':
        if (record.submission === this.#submission && isMainRequest(record))
          this.#beginGroup(`${this.#run}/${record.iteration}`);
        return;
      case 'result':
        if (record.submission === this.#submission) this.end();
        return;
      case 'assistant':
        // A block that is recorded again, with the usage of its response, is in the view already.
        if (record.settled === undefined) this.add(record);
        return;
      case 'user':
      case 'attachment':
        this.add(record);
        return;
      default:
        if (changesView(record)) this.#change(record);
    }
  }

  #change(record: ViewChange): void {
    if (record.type === 'retract') this.#retract(retractedBy(record));
    else this.#edit(checkedEdits(record.edits));
  }

  /** Ends the last response: each of its calls without a result is answered with an error result. */
  end(): void {
    this.#submission = undefined;
    this.#beginGroup(`${this.#run}/over`);
  }

  /** Starts a new group when `key`, which is unique per response, changes. */
  #beginGroup(key: string): void {
    if (key === this.#group.key) return;
    this.#flush();
    this.#group = emptyGroup(key);
  }

  add(message: ViewMessage): void {
    if (message.type === 'assistant') this.#addBlock(message);
    else if (message.type === 'user' && resultIds(message).length > 0) this.#addResult(message);
    else {
      const { rest } = this.#group;
      rest.push(message);
      if (this.#tail.length === 0) this.#grow(message);
      else {
        if (message.type === 'user') rest.push(...this.#tail.splice(0));
        this.#rebuild();
      }
    }
  }

  #addBlock(message: AssistantMessage): void {
    // Errors that the engine wrote are shown to the consumer, never sent to the model.
    if (message.synthetic !== undefined) return;
    const { answers, rest, key } = this.#group;
    const last = answers.at(-1);
    const begins = last === undefined ? rest.length > 0 : last.message.id !== message.message.id;
    if (begins) {
      this.#flush();
      this.#group = emptyGroup(key);
    }
    const group = this.#group;
    group.answers.push(message);
    if (group.results.length === 0 && group.rest.length === 0) this.#grow(message);
    else this.#rebuild();
  }

  #retract(uuids: readonly string[]): void {
    const gone = new Set(uuids);
    const stays = (message: ViewMessage) => !gone.has(message.uuid);
    const group = this.#group;
    group.answers = group.answers.filter(stays);
    group.rest = group.rest.filter(stays);
    const calls = new Set(listCalls(group.answers).map(({ block }) => block.id));
    group.results = group.results.filter(
      (result) => stays(result) && resultIds(result).every((id) => calls.has(id)),
    );
    const taken = this.#done.slice().filter((message) => gone.has(message.uuid));
    if (taken.length > 0) {
      // The results of a retracted call go with it.
      const lost = new Set(listCalls(taken).map(({ block }) => block.id));
      const results = this.#done.slice().filter((message) => {
        const ids = message.type === 'user' ? resultIds(message) : [];
        return ids.length > 0 && ids.every((id) => lost.has(id));
      });
      const uuids = [...taken, ...results].map(({ uuid }) => uuid);
      this.#done = corrected(this.#done, { kind: 'remove', uuids });
    }
    this.#rebuild();
  }

  #edit(edits: readonly ViewEdit[]): void {
    this.#flush();
    this.#group = emptyGroup(this.#group.key);
    this.#done = applyEdits(this.#done, edits);
    this.#messages = this.#done;
  }

  /** Another program's compaction boundary: only the kept tail of what precedes it stays in the view. */
  foreignBoundary(record: object): void {
    this.#flush();
    this.#group = emptyGroup('');
    const kept = new Set(keptUuids(record));
    this.#tail = this.#done
      .slice()
      .flatMap((message) => (kept.has(message.uuid) ? [withVoidThinking(message)] : []));
    this.#done = PersistentList.from<ViewMessage>([]);
    this.#rebuild();
  }

  /** The blocks of the last response that are not retracted. */
  get answers(): readonly AssistantMessage[] {
    return this.#group.answers;
  }

  /** The other messages recorded with the last response: no blocks, no results. */
  get rest(): readonly ViewMessage[] {
    return this.#group.rest;
  }

  /** The calls of the last response, in the model's order. */
  get calls(): readonly ReplayedCall[] {
    return listCalls(this.#group.answers).map((call) => ({
      ...call,
      result: this.#group.results.find((result) => resultIds(result).includes(call.block.id)),
    }));
  }

  #addResult(message: UserMessage): void {
    const ids = resultIds(message);
    const calls = listCalls(this.#group.answers);
    const open = ids.filter((id) => calls.some(({ block }) => block.id === id) && !this.#isAnswered(id));
    const late = ids.length === 1 ? this.#made.get(ids[0] as string) : undefined;
    if (late !== undefined) {
      this.#made.delete(ids[0] as string);
      this.#done = corrected(this.#done, { kind: 'replace', uuid: late, item: message });
      this.#rebuild();
      return;
    }
    this.#problems.orphanResults += ids.length - open.length;
    if (open.length === 0) return;
    const { results, rest } = this.#group;
    const answer = open.length === ids.length ? message : onlyResults(message, open);
    results.push(answer);
    if (rest.length === 0 && this.#tail.length === 0 && this.#inCallOrder().at(-1) === answer)
      this.#grow(answer);
    else this.#rebuild();
  }

  #isAnswered(id: string): boolean {
    return this.#group.results.some((result) => resultIds(result).includes(id));
  }

  #inCallOrder(): readonly UserMessage[] {
    const { results, answers } = this.#group;
    return results.length < 2 ? results : inCallOrder(results, listCalls(answers));
  }

  #grow(message: ViewMessage): void {
    this.#messages = this.#messages.append([message]);
  }

  #rebuild(): void {
    const { answers, rest } = this.#group;
    this.#messages = this.#done.append([...answers, ...this.#inCallOrder(), ...rest, ...this.#tail]);
  }

  /** Closes the group. A call without a result would make every later request invalid (L10.1). */
  #flush(): void {
    const { answers, results } = this.#group;
    const before = results.length;
    for (const { block, assistantUuid } of listCalls(answers)) {
      if (this.#isAnswered(block.id)) continue;
      const made = missingResult(block, assistantUuid, answers);
      this.#made.set(block.id, made.uuid);
      results.push(made);
      this.#problems.missingResults++;
    }
    if (results.length > before) this.#rebuild();
    this.#done = this.#messages;
    this.#tail = [];
  }
}

/** Requests of the conversation itself, as opposed to those of helpers (summaries, titles, hooks). */
export function isMainRequest({ querySource: source }: Extract<JournalBody, { type: 'request' }>): boolean {
  return source === 'main' || (typeof source === 'string' && source.startsWith('agent:'));
}

/** The kept tail that a boundary of the de-facto transcript names. */
function keptUuids(record: object): readonly string[] {
  const fields = record as Readonly<Record<string, unknown>>;
  const metadata = fields['compact_metadata'] ?? fields['compactMetadata'];
  const kept = (metadata as { readonly preserved_messages?: { readonly uuids?: unknown } } | undefined)
    ?.preserved_messages?.uuids;
  return Array.isArray(kept) ? kept.filter((uuid): uuid is string => typeof uuid === 'string') : [];
}
