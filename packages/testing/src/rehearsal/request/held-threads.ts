/**
 * Message threads: conversations that the server holds under the ids of its replies. A request that continues
 * one is read as the whole conversation, so that judge, account and scenarios see no difference.
 */

import { isRecord } from '@turnwright/base/json-values.ts';
import type { ApiRequest } from './api-request.ts';

type Body = Readonly<Record<string, unknown>>;

/** What the thread of a request is: none, a new one, or one that is held; or why it is none of these. */
export type AskedThread =
  | { readonly kind: 'none' | 'create' }
  | { readonly kind: 'continue'; readonly previousId: string; readonly body: Body }
  | { readonly kind: 'lost'; readonly previousId: string; readonly code: 'not_found' | 'already_continued' }
  | { readonly kind: 'malformed' };

interface Held {
  readonly owner: string;
  readonly system: unknown;
  readonly tools: unknown;
  readonly messages: readonly unknown[];
  isContinued: boolean;
}

export interface HeldThreads {
  /** `owner`: the key of the request. */
  asked(owner: string, body: Body): AskedThread;
  /** Holds the conversation of a request and its answer. */
  hold(
    owner: string,
    request: ApiRequest,
    asked: AskedThread,
    answer: { id: string; content: readonly unknown[] },
  ): void;
  clear(): void;
}

/** `most`: threads that are held; the oldest is forgotten first. */
export function holdThreads(most: number): HeldThreads {
  const threads = new Map<string, Held>();
  return {
    asked(owner, body) {
      const thread = body['thread'];
      if (thread === undefined || thread === null) return { kind: 'none' };
      if (!isRecord(thread)) return { kind: 'malformed' };
      if (thread['type'] === 'create') return { kind: 'create' };
      const previousId = thread['previous_message_id'];
      if (thread['type'] !== 'continue' || typeof previousId !== 'string') return { kind: 'malformed' };
      const held = threads.get(previousId);
      if (held?.owner !== owner) return { kind: 'lost', previousId, code: 'not_found' };
      if (held.isContinued) return { kind: 'lost', previousId, code: 'already_continued' };
      const { system, tools } = held;
      const news = Array.isArray(body['messages']) ? body['messages'] : [];
      const messages = [...held.messages, ...news];
      return { kind: 'continue', previousId, body: { system, tools, ...body, messages } };
    },
    hold(owner, { body }, asked, { id, content }) {
      if (asked.kind !== 'create' && asked.kind !== 'continue') return;
      if (asked.kind === 'continue') {
        const before = threads.get(asked.previousId);
        if (before !== undefined) before.isContinued = true;
      }
      const sent = Array.isArray(body['messages']) ? body['messages'] : [];
      const messages = [...unmarked(sent), { role: 'assistant', content }];
      threads.set(id, { owner, system: body['system'], tools: body['tools'], messages, isContinued: false });
      while (threads.size > most) threads.delete(threads.keys().next().value as string);
    },
    clear: () => threads.clear(),
  };
}

/** Only the last breakpoint is kept: where the next request looks for what this one has written. */
function unmarked(messages: readonly unknown[]): unknown[] {
  const last = messages.findLastIndex(isMarked);
  return messages.map((message, at) => (at === last || !isMarked(message) ? message : bare(message)));
}

type Marked = { readonly content: readonly unknown[] };

const isMarked = (message: unknown): message is Marked =>
  isRecord(message) && Array.isArray(message['content']) && message['content'].some(hasMark);

const hasMark = (block: unknown): boolean => isRecord(block) && 'cache_control' in block;

function bare(message: Marked): unknown {
  const content = message.content.map((block) => {
    if (!isRecord(block)) return block;
    const { cache_control: _, ...rest } = block;
    return rest;
  });
  return { ...message, content };
}
