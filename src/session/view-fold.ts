/**
 * The one fold of journal records into the view: carried on live while the journal is written, and made again when it is
 * read. One response is a group: its blocks in order, then the results of its calls in the model's order, then what was
 * said beside them; the records of one response may come in any order.
 */
import type { JournalBody } from '../protocol/journal.ts';
import type { AssistantMessage, UserMessage, ViewMessage } from '../protocol/messages.ts';
import type { ViewEdit } from '../protocol/view.ts';
import type { ToolUseBlock } from '../protocol/wire.ts';
import { editList } from '../util/edit-list.ts';
import { PersistentList } from '../util/persistent-list.ts';
import { callsOf, missingResult, onlyResults, resultIds } from './calls-and-results.ts';
import { noProblems, type ResumeProblems } from './resume-problems.ts';

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
  readonly #problems: ResumeProblems;
  /** What stands before the group. */
  #done = PersistentList.from<ViewMessage>([]);
  #group: Group = emptyGroup('');
  /** The whole view: `#done`, then the group. It only grows, in place, unless something comes out of its order. */
  #messages = this.#done;
  /** The submission that has no result yet. */
  #submission: string | undefined;
  /** Counts submission records: a carried-on submission may count its iterations anew. */
  #run = 0;
  /** Results made for calls in the middle of the record, by call. */
  readonly #made = new Map<string, string>();
  /** A boundary of another program: the kept tail waits for the summary that stands before it. */
  #tail: ViewMessage[] = [];

  constructor(problems: ResumeProblems = noProblems()) {
    this.#problems = problems;
  }

  /** As recorded: calls of the last response without a result stay open. */
  get messages(): PersistentList<ViewMessage> {
    return this.#messages;
  }

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
        // A block that is recorded again says what its answer cost, and is in the view already.
        if (record.settled === undefined) this.add(record);
        return;
      case 'user':
      case 'attachment':
        this.add(record);
        return;
      case 'retract':
        this.retract(record.uuids);
        return;
      case 'replacement':
      case 'snip':
      case 'collapse':
      case 'boundary':
        this.edit(record.edits);
    }
  }

  /** No response is under way any more: calls without a result are answered with the news that it is missing. */
  end(): void {
    this.#submission = undefined;
    this.#beginGroup(`${this.#run}/over`);
  }

  /** A new response may begin; `key` tells responses apart. */
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
    // Errors that the engine wrote are shown, never sent.
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

  retract(uuids: readonly string[]): void {
    const gone = new Set(uuids);
    const stays = (message: ViewMessage) => !gone.has(message.uuid);
    const group = this.#group;
    group.answers = group.answers.filter(stays);
    group.rest = group.rest.filter(stays);
    const calls = new Set(callsOf(group.answers).map(({ block }) => block.id));
    group.results = group.results.filter(
      (result) => stays(result) && resultIds(result).every((id) => calls.has(id)),
    );
    const taken = this.#done.slice().filter((message) => gone.has(message.uuid));
    if (taken.length > 0) {
      // The results of a retracted call go with it.
      const lost = new Set(callsOf(taken).map(({ block }) => block.id));
      const results = this.#done.slice().filter((message) => {
        const ids = message.type === 'user' ? resultIds(message) : [];
        return ids.length > 0 && ids.every((id) => lost.has(id));
      });
      this.#done = editList(this.#done, [
        { kind: 'remove', uuids: [...taken, ...results].map(({ uuid }) => uuid) },
      ]);
    }
    this.#rebuild();
  }

  edit(edits: readonly ViewEdit[]): void {
    this.#flush();
    this.#group = emptyGroup(this.#group.key);
    this.#done = editList(this.#done, edits);
    this.#messages = this.#done;
  }

  /** Another program's compaction boundary: what stands before it goes, but for the kept tail. */
  foreignBoundary(keep: readonly string[]): void {
    this.#flush();
    this.#group = emptyGroup('');
    const kept = new Set(keep);
    this.#tail = this.#done.slice().filter((message) => kept.has(message.uuid));
    this.#done = PersistentList.from<ViewMessage>([]);
    this.#rebuild();
  }

  /** The last response's blocks that are not retracted. */
  get answers(): readonly AssistantMessage[] {
    return this.#group.answers;
  }

  /** What was said beside the last response, results excepted. */
  get rest(): readonly ViewMessage[] {
    return this.#group.rest;
  }

  /** The calls of the last response, in the model's order. */
  get calls(): readonly ReplayedCall[] {
    return callsOf(this.#group.answers).map((call) => ({
      ...call,
      result: this.#group.results.find((result) => resultIds(result).includes(call.block.id)),
    }));
  }

  #addResult(message: UserMessage): void {
    const ids = resultIds(message);
    const calls = callsOf(this.#group.answers);
    const open = ids.filter((id) => calls.some(({ block }) => block.id === id) && !this.#isAnswered(id));
    const late = ids.length === 1 ? this.#made.get(ids[0] as string) : undefined;
    if (late !== undefined) {
      this.#made.delete(ids[0] as string);
      this.#done = editList(this.#done, [{ kind: 'replace', uuid: late, item: message }]);
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
    if (this.#group.results.length < 2) return this.#group.results;
    const order = new Map(callsOf(this.#group.answers).map(({ block }, index) => [block.id, index]));
    const place = (message: UserMessage) => order.get(resultIds(message)[0] ?? '') ?? order.size;
    return [...this.#group.results].sort((a, b) => place(a) - place(b));
  }

  #grow(message: ViewMessage): void {
    this.#messages = this.#messages.append([message]);
  }

  #rebuild(): void {
    const { answers, rest } = this.#group;
    this.#messages = this.#done.append([...answers, ...this.#inCallOrder(), ...rest, ...this.#tail]);
  }

  /** The group is over: a call without a result would make every later request invalid (L10.1). */
  #flush(): void {
    const { answers, results } = this.#group;
    const before = results.length;
    for (const { block, assistantUuid } of callsOf(answers)) {
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

/** Requests that belong to the conversation; helpers (summaries, titles, hooks) ask beside it. */
export function isMainRequest({ querySource: source }: Extract<JournalBody, { type: 'request' }>): boolean {
  return source === 'main' || (typeof source === 'string' && source.startsWith('agent:'));
}

/** The kept tail that a boundary of the de-facto transcript names. */
export function keptUuids(record: object): readonly string[] {
  const fields = record as Readonly<Record<string, unknown>>;
  const metadata = fields['compact_metadata'] ?? fields['compactMetadata'];
  const kept = (metadata as { readonly preserved_messages?: { readonly uuids?: unknown } } | undefined)
    ?.preserved_messages?.uuids;
  return Array.isArray(kept) ? kept.filter((uuid): uuid is string => typeof uuid === 'string') : [];
}
