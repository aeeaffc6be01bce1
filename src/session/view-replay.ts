/**
 * Replays message records and edits into the view. One response is a group: its blocks in order, then the results of
 * its calls in the model's order, then what was said beside them; records of one response may lie in any order.
 */
import type { AssistantMessage, UserMessage, ViewMessage } from '../protocol/messages.ts';
import type { ViewEdit } from '../protocol/view.ts';
import type { ToolUseBlock } from '../protocol/wire.ts';
import { editList } from '../util/edit-list.ts';
import { PersistentList } from '../util/persistent-list.ts';
import type { ResumeProblems } from './resume-problems.ts';
import { stableUuid } from './stable-uuid.ts';

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

export class ViewReplay {
  readonly #problems: ResumeProblems;
  #done = PersistentList.from<ViewMessage>([]);
  #group: Group = emptyGroup('');
  /** Results made for calls in the middle of the record, by call. */
  readonly #made = new Map<string, string>();
  /** A boundary of another program: the kept tail waits for the summary that stands before it. */
  #tail: ViewMessage[] = [];

  constructor(problems: ResumeProblems) {
    this.#problems = problems;
  }

  /** A new response may begin; `key` tells responses apart. */
  beginGroup(key: string): void {
    if (key === this.#group.key) return;
    this.#flush();
    this.#group = emptyGroup(key);
  }

  add(message: ViewMessage): void {
    if (message.type === 'assistant') {
      // Errors that the engine wrote are shown, never sent.
      if (message.synthetic !== undefined) return;
      const { answers, rest, key } = this.#group;
      const last = answers.at(-1);
      const begins = last === undefined ? rest.length > 0 : last.message.id !== message.message.id;
      if (begins) {
        this.#flush();
        this.#group = emptyGroup(key);
      }
      this.#group.answers.push(message);
    } else if (message.type === 'user' && resultIds(message).length > 0) this.#addResult(message);
    else {
      this.#group.rest.push(message);
      if (this.#tail.length > 0 && message.type === 'user') {
        this.#group.rest.push(...this.#tail);
        this.#tail = [];
      }
    }
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
    if (taken.length === 0) return;
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

  edit(edits: readonly ViewEdit[]): void {
    this.#flush();
    this.#group = emptyGroup(this.#group.key);
    this.#done = editList(this.#done, edits);
  }

  /** Another program's compaction boundary: what stands before it goes, but for the kept tail. */
  foreignBoundary(keep: readonly string[]): void {
    this.#flush();
    this.#group = emptyGroup('');
    const kept = new Set(keep);
    this.#tail = this.#done.slice().filter((message) => kept.has(message.uuid));
    this.#done = PersistentList.from<ViewMessage>([]);
  }

  /** The last response's blocks that are not taken back. */
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

  /** As recorded: calls of the last response without a result stay open. */
  view(): PersistentList<ViewMessage> {
    const { answers, rest } = this.#group;
    return this.#done.append([...answers, ...this.#inCallOrder(), ...rest, ...this.#tail]);
  }

  #addResult(message: UserMessage): void {
    const ids = resultIds(message);
    const calls = callsOf(this.#group.answers);
    const open = ids.filter((id) => calls.some(({ block }) => block.id === id) && !this.#isAnswered(id));
    const late = ids.length === 1 ? this.#made.get(ids[0] as string) : undefined;
    if (late !== undefined) {
      this.#made.delete(ids[0] as string);
      this.#done = editList(this.#done, [{ kind: 'replace', uuid: late, item: message }]);
      return;
    }
    if (open.length > 0)
      this.#group.results.push(open.length === ids.length ? message : onlyResults(message, open));
    this.#problems.orphanResults += ids.length - open.length;
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

  /** The group is over: a call without a result would make every later request invalid (L10.1). */
  #flush(): void {
    const { answers, rest } = this.#group;
    for (const { block, assistantUuid } of callsOf(answers)) {
      if (this.#isAnswered(block.id)) continue;
      const made = missingResult(block, assistantUuid, answers);
      this.#made.set(block.id, made.uuid);
      this.#group.results.push(made);
      this.#problems.missingResults++;
    }
    this.#done = this.#done.append([...answers, ...this.#inCallOrder(), ...rest, ...this.#tail]);
    this.#tail = [];
  }
}

function callsOf(
  messages: readonly ViewMessage[],
): { readonly block: ToolUseBlock; readonly assistantUuid: string }[] {
  const calls: { readonly block: ToolUseBlock; readonly assistantUuid: string }[] = [];
  for (const message of messages) {
    if (message.type !== 'assistant') continue;
    for (const block of message.message.content)
      if (block.type === 'tool_use') calls.push({ block, assistantUuid: message.uuid });
  }
  return calls;
}

export function resultIds(message: UserMessage): readonly string[] {
  const { content } = message.message;
  if (typeof content === 'string') return [];
  return content.flatMap((block) => (block.type === 'tool_result' ? [block.tool_use_id] : []));
}

function onlyResults(message: UserMessage, ids: readonly string[]): UserMessage {
  const content = message.message.content as Exclude<UserMessage['message']['content'], string>;
  const kept = content.filter((block) => block.type !== 'tool_result' || ids.includes(block.tool_use_id));
  return Object.freeze({ ...message, message: { ...message.message, content: kept } });
}

function missingResult(
  block: ToolUseBlock,
  assistantUuid: string,
  answers: readonly AssistantMessage[],
): UserMessage {
  const message: UserMessage = {
    uuid: stableUuid(`missing/${block.id}`),
    timestamp: answers.at(-1)?.timestamp ?? '',
    type: 'user',
    kind: 'tool_result',
    message: {
      role: 'user',
      content: [
        {
          type: 'tool_result',
          tool_use_id: block.id,
          content:
            'The result of this call is missing from the record of the session; its outcome is unknown.',
          is_error: true,
        },
      ],
    },
    sourceAssistantUuid: assistantUuid,
    nonExecution: 'unknown_outcome',
  };
  return Object.freeze(message);
}

/** The kept tail that a boundary of the de-facto transcript names. */
export function keptUuids(record: object): readonly string[] {
  const fields = record as Readonly<Record<string, unknown>>;
  const metadata = fields['compact_metadata'] ?? fields['compactMetadata'];
  const kept = (metadata as { readonly preserved_messages?: { readonly uuids?: unknown } } | undefined)
    ?.preserved_messages?.uuids;
  return Array.isArray(kept) ? kept.filter((uuid): uuid is string => typeof uuid === 'string') : [];
}
