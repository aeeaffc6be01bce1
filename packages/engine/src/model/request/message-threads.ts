/**
 * Message threads: the endpoint holds a conversation under the id of its last response, and the next request
 * sends only what is new. Continued only where what it holds, answer included, is the beginning of what would
 * be sent now, byte for byte but for cache breakpoints; else the whole conversation begins another thread.
 */

import { isSameList } from '@turnwright/base/collections/made-once.ts';
import type { ModelRequest } from '../../protocol/model/model.ts';
import type { WireTool } from '../../protocol/model/wire.ts';
import type { WireTurn } from './normalise.ts';

export const MESSAGE_THREADS_BETA = 'message-threads-2026-08-12';
/** The field, which a refusal names. */
export const THREAD = 'thread';

/** The newest turns of a conversation, and where they are in it. */
export interface NewestTurns {
  /** Whose turns: the same object while a conversation only grows. */
  readonly of: object;
  /** Turns in front of them. */
  readonly from: number;
  readonly turns: readonly WireTurn[];
  /** Turns of the conversation that later ones can no longer change the place of. */
  readonly settled: number;
}

type Asking = Pick<
  ModelRequest,
  'agentId' | 'contextManagement' | 'model' | 'serverTools' | 'sessionId' | 'system'
>;

/** A conversation that is sent. */
interface Sent {
  readonly request: Asking;
  readonly tools: readonly WireTool[];
  readonly newest: NewestTurns;
}

interface Held extends Sent {
  readonly responseId: string;
  /** JSON of the answer's blocks. */
  readonly answer: readonly string[];
  /** Of the request and its answer. */
  readonly inputTokens: number;
}

export interface ThreadOfRequest {
  /** The turns to send; undefined: all, which begin a thread. */
  readonly turns: readonly WireTurn[] | undefined;
  /** JSON of the field. */
  readonly field: string;
  /** Fewer tokens of input than these are not the whole conversation; 0: any may be. */
  readonly leastTokens: number;
  /** The endpoint answers to the conversation. */
  answered(): void;
  /** The endpoint does not hold it. false: it did not hold what took its place either. */
  lose(): boolean;
  /** Nothing continues what was held. */
  forget(): void;
  /** The endpoint holds the conversation, with this answer. */
  hold(response: Pick<Held, 'answer' | 'inputTokens' | 'responseId'>): void;
}

/** The threads of a client, each for as long as the conversation's bytes are kept. */
export class MessageThreads {
  readonly #held = new WeakMap<object, Held>();
  /** Conversations whose threads were lost and begun again, and not continued since. */
  readonly #begunAgain = new WeakSet<object>();
  #isProven = false;

  of(sent: Sent): ThreadOfRequest {
    const key = sent.newest.of;
    const held = this.#held.get(key);
    // The API may leave out what it holds: then the tokens of an answer prove nothing.
    const isEdited = sent.request.contextManagement !== undefined;
    const turns = held && (this.#isProven || !isEdited) ? turnsBehind(held, sent) : undefined;
    const field =
      held === undefined || turns === undefined
        ? { type: 'create' }
        : { type: 'continue', previous_message_id: held.responseId };
    const { agentId, model, serverTools, sessionId, system } = sent.request;
    // Without the view, which would keep an old version of it alive.
    const request = { agentId, model, serverTools, sessionId, system } as Asking;
    return {
      turns,
      field: JSON.stringify(field),
      leastTokens: isEdited ? 0 : ((turns && held?.inputTokens) ?? 0),
      answered: () => {
        if (turns === undefined) return;
        this.#isProven ||= !isEdited;
        this.#begunAgain.delete(key);
      },
      lose: () => {
        this.#held.delete(key);
        const isFirst = turns !== undefined && !this.#begunAgain.has(key);
        this.#begunAgain.add(key);
        return isFirst;
      },
      forget: () => void this.#held.delete(key),
      hold: (response) => void this.#held.set(key, { ...sent, request, ...response }),
    };
  }
}

/** What the endpoint does not hold; undefined: it holds something else, or there is nothing to answer. */
function turnsBehind(held: Held, now: Sent): readonly WireTurn[] | undefined {
  const { newest } = held;
  const known = newest.turns.slice(newest.settled - newest.from);
  const expected = [...known, { role: 'assistant' as const, blocks: held.answer }];
  const at = newest.settled - now.newest.from;
  if (at < 0 || !isSameAsking(held, now)) return undefined;
  if (!expected.every((turn, index) => isSameTurn(turn, now.newest.turns[at + index]))) return undefined;
  const news = now.newest.turns.slice(at + expected.length);
  return news.some(({ role }) => role === 'user') ? news : undefined;
}

function isSameAsking(a: Sent, b: Sent): boolean {
  return (
    a.request.sessionId === b.request.sessionId &&
    a.request.agentId === b.request.agentId &&
    a.request.model === b.request.model &&
    isSameList(a.request.serverTools ?? [], b.request.serverTools ?? []) &&
    isSameList(a.tools, b.tools) &&
    isSameList(a.request.system, b.request.system)
  );
}

const isSameTurn = (a: WireTurn, b: WireTurn | undefined): boolean =>
  b !== undefined && a.role === b.role && a.effort === b.effort && isSameList(a.blocks, b.blocks);
