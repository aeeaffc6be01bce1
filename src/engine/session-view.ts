/**
 * What the engine keeps of a conversation in memory: the same fold over the journal that resume makes, carried on
 * while the journal is written. So the next submission sees what a resumed session would see, and after a
 * compaction only the summary, the kept tail and what follows stay (L1 phase 7).
 */
import type { JournalBody } from '../protocol/journal.ts';
import type { AssistantMessage, UserMessage, ViewMessage } from '../protocol/messages.ts';
import { editList } from '../util/edit-list.ts';
import { PersistentList } from '../util/persistent-list.ts';

export class SessionView {
  #messages: PersistentList<ViewMessage>;

  constructor(initial: Iterable<ViewMessage> = []) {
    this.#messages = PersistentList.from(initial);
  }

  get messages(): PersistentList<ViewMessage> {
    return this.#messages;
  }

  apply(bodies: readonly JournalBody[]): void {
    for (const body of bodies) this.#messages = fold(this.#messages, body);
  }
}

function fold(messages: PersistentList<ViewMessage>, body: JournalBody): PersistentList<ViewMessage> {
  switch (body.type) {
    case 'assistant':
      // Errors that the engine wrote are shown, never sent; a block that is told again stands already.
      return body.synthetic === undefined && body.settled === undefined
        ? insertBlock(messages, body)
        : messages;
    case 'user':
      return isResult(body) ? insertResult(messages, body) : messages.append([body]);
    case 'attachment':
      return messages.append([body]);
    case 'retract':
      return editList(messages, [{ kind: 'remove', uuids: body.uuids }]);
    case 'replacement':
    case 'snip':
    case 'collapse':
    case 'boundary':
      return editList(messages, body.edits);
    default:
      return messages;
  }
}

/** A tool may end while its response still streams: the response's later blocks go before such results. */
function insertBlock(
  messages: PersistentList<ViewMessage>,
  block: AssistantMessage,
): PersistentList<ViewMessage> {
  const end = endOfLastResponse(messages);
  const last = messages.at(end - 1);
  const sameResponse = last?.type === 'assistant' && last.message.id === block.message.id;
  return insertAt(messages, sameResponse ? end : messages.length, block);
}

/** Results are recorded as they come and sent in the model's order: each takes its place among its siblings. */
function insertResult(
  messages: PersistentList<ViewMessage>,
  result: UserMessage,
): PersistentList<ViewMessage> {
  const end = endOfLastResponse(messages);
  const order = callsBefore(messages, end);
  const place = order.indexOf(resultId(result));
  let at = end;
  for (; at < messages.length; at += 1) {
    const sibling = messages.at(at);
    if (sibling?.type !== 'user' || !isResult(sibling) || order.indexOf(resultId(sibling)) > place) break;
  }
  return insertAt(messages, at, result);
}

function insertAt(
  messages: PersistentList<ViewMessage>,
  at: number,
  message: ViewMessage,
): PersistentList<ViewMessage> {
  if (at >= messages.length) return messages.append([message]);
  const items = messages.slice();
  items.splice(at, 0, message);
  return PersistentList.from(items);
}

/** The index behind the last assistant block. Looks back no further than that. */
function endOfLastResponse(messages: PersistentList<ViewMessage>): number {
  let end = messages.length;
  while (end > 0 && messages.at(end - 1)?.type !== 'assistant') end -= 1;
  return end === 0 ? messages.length : end;
}

/** The tool_use ids of the blocks right before `end`, in the model's order. */
function callsBefore(messages: PersistentList<ViewMessage>, end: number): readonly string[] {
  const ids: string[] = [];
  for (let i = end - 1; i >= 0; i -= 1) {
    const item = messages.at(i);
    if (item?.type !== 'assistant') break;
    for (const block of [...item.message.content].reverse())
      if (block.type === 'tool_use') ids.unshift(block.id);
  }
  return ids;
}

function isResult(message: UserMessage): boolean {
  return typeof message.message.content !== 'string' && message.message.content[0]?.type === 'tool_result';
}

function resultId(message: UserMessage): string {
  const block = typeof message.message.content === 'string' ? undefined : message.message.content[0];
  return block?.type === 'tool_result' ? block.tool_use_id : '';
}
