/** Edits of the view: how each kind changes the messages, live and when the journal is read again. */

import { PersistentList } from '@turnwright/base/collections/persistent-list.ts';
import { requireList } from '@turnwright/base/json-values.ts';
import type { ViewMessage } from '../protocol/model/messages.ts';
import type { ViewEdit } from '../protocol/model/view.ts';
import type { AssistantBlock } from '../protocol/model/wire.ts';

/**
 * Applies edits in order; the result has a root of its own. Without edits the same list is returned. Unknown
 * uuids are ignored, so replaying an edit changes nothing more.
 */
export function applyEdits(
  messages: PersistentList<ViewMessage>,
  edits: readonly ViewEdit[],
): PersistentList<ViewMessage> {
  if (edits.length === 0) return messages;
  const before = messages.slice();
  const edited = edits.reduce(applyEdit, before);
  return PersistentList.from(markThinking(before, edited));
}

/** Thinking is signed for everything before it, so it is void from the first changed message on. */
function markThinking(before: readonly ViewMessage[], edited: ViewMessage[]): ViewMessage[] {
  const from = edited.findIndex((message, at) => message !== before[at]);
  return from < 0 ? edited : edited.map((message, at) => (at < from ? message : withVoidThinking(message)));
}

/** The message as it is behind one that has changed. */
export function withVoidThinking(message: ViewMessage): ViewMessage {
  if (message.type !== 'assistant' || message.prefixChanged === true) return message;
  return message.message.content.some(thinks)
    ? Object.freeze({ ...message, prefixChanged: true as const })
    : message;
}

/** Answers whose thinking is void. */
export function voidThinking(messages: PersistentList<ViewMessage>): number {
  return messages.slice().filter((message) => message.type === 'assistant' && message.prefixChanged).length;
}

const thinks = ({ type }: AssistantBlock): boolean => type === 'thinking' || type === 'redacted_thinking';

function applyEdit(messages: ViewMessage[], edit: ViewEdit): ViewMessage[] {
  switch (edit.kind) {
    case 'replace':
      return messages.map((message) => (message.uuid === edit.uuid ? edit.item : message));
    case 'remove': {
      const removed = new Set(edit.uuids);
      return messages.filter((message) => !removed.has(message.uuid));
    }
    case 'splice': {
      const removed = new Set(edit.uuids);
      const at = messages.findIndex((message) => removed.has(message.uuid));
      if (at < 0) return messages;
      const before = messages.slice(0, at);
      const after = messages.slice(at).filter((message) => !removed.has(message.uuid));
      return [...before, ...edit.items, ...after];
    }
    case 'reset': {
      const keep = new Set(edit.keep);
      return [...edit.head, ...messages.filter((message) => keep.has(message.uuid)), ...edit.tail];
    }
  }
}

/** What a journal says later of messages than the model saw them: no edit, so thinking stays as it is. */
export function corrected(
  messages: PersistentList<ViewMessage>,
  edit: ViewEdit,
): PersistentList<ViewMessage> {
  return PersistentList.from(applyEdit(messages.slice(), edit));
}

/** Edits as a record holds them. Throws TypeError when one does not have the shape of an edit. */
export function checkedEdits(edits: readonly ViewEdit[]): readonly ViewEdit[] {
  for (const edit of requireList(edits)) {
    switch (edit.kind) {
      case 'replace':
        if (typeof edit.uuid !== 'string' || typeof edit.item?.uuid !== 'string')
          throw new TypeError('a replacement without a uuid');
        break;
      case 'remove':
        requireList(edit.uuids);
        break;
      case 'splice':
        requireList(edit.uuids);
        requireList(edit.items);
        break;
      case 'reset':
        for (const part of [edit.head, edit.keep, edit.tail]) requireList<unknown>(part);
        break;
      default:
        throw new TypeError('an edit of an unknown kind');
    }
  }
  return edits;
}
