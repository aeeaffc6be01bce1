/**
 * Calls and messages that are marked for removal and still in the view (L2.3). One per conversation; in
 * memory.
 */
import type { ViewMessage } from '../../protocol/model/messages.ts';
import type { View } from '../../protocol/model/view.ts';
import { findLastPrompt } from '../rounds.ts';

interface SnipAnswer {
  readonly marked: readonly string[];
  /** One sentence each. */
  readonly refused: readonly { readonly id: string; readonly why: string }[];
}

export interface SnipMarks {
  /**
   * Marks calls (by tool_use id) and messages (by uuid); a call is removed with its result. They leave the
   * view before the next request. Before the first request the view is unknown, so every id is accepted.
   */
  mark(ids: readonly string[]): SnipAnswer;
  readonly pending: ReadonlySet<string>;
  /** The view that the model is about to receive. O(1). */
  observe(view: View): void;
  forget(ids: Iterable<string>): void;
}

export function createSnipMarks(): SnipMarks {
  return new Marks();
}

const NONE: ReadonlySet<string> = new Set();

class Marks implements SnipMarks {
  pending = NONE;
  #view: View | undefined;

  mark(ids: readonly string[]): SnipAnswer {
    const distinct = [...new Set(ids)];
    const refused = this.#view === undefined ? [] : refusals(distinct, this.#view);
    const marked = distinct.filter((id) => !refused.some((refusal) => refusal.id === id));
    if (marked.length > 0) this.pending = new Set([...this.pending, ...marked]);
    return { marked, refused };
  }

  observe(seen: View): void {
    this.#view = seen;
  }

  forget(ids: Iterable<string>): void {
    const gone = new Set(ids);
    this.pending = new Set([...this.pending].filter((id) => !gone.has(id)));
  }
}

/** Calls of the current response are not in the view yet: they cannot be old. */
function refusals(ids: readonly string[], view: View): SnipAnswer['refused'] {
  const known = new Set<string>();
  const messages = view.slice();
  for (const message of messages) for (const id of listIds(message)) known.add(id);
  const prompt = findLastPrompt(messages);
  return ids.flatMap((id) => {
    if (id === prompt?.uuid) return [{ id, why: "It is the user's latest prompt, which always stays." }];
    return known.has(id) ? [] : [{ id, why: 'No call or message in the context has this id.' }];
  });
}

function listIds(message: ViewMessage): string[] {
  if (message.type !== 'assistant') return [message.uuid];
  const calls = message.message.content.flatMap((block) => (block.type === 'tool_use' ? [block.id] : []));
  return [message.uuid, ...calls];
}
