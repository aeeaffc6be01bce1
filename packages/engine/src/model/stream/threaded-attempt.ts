/**
 * An attempt of a message thread. Reads beside what is answered, so that the next request can tell whether it
 * continues just that.
 */

import { readJsonObject } from '@turnwright/base/bounded-json.ts';
import type { Attempt, AttemptEnd, Batch } from '../../protocol/model/provider-wire.ts';
import { promptTokens } from '../../protocol/model/usage.ts';
import type { AssistantBlock, BlockDelta, StreamEvent, Usage } from '../../protocol/model/wire.ts';
import { jsonOfAnswer } from '../request/message-json.ts';
import type { ThreadOfRequest } from '../request/message-threads.ts';
import { NOT_HELD } from '../retry/thread-refusal.ts';

/** The endpoint does not store others. */
const HELD = ['end_turn', 'tool_use', 'max_tokens', 'stop_sequence', 'model_context_window_exceeded'];
/** Of the tokens that are held: thinking of earlier turns may count no longer. */
const LEAST_SHARE = 0.5;

interface OpenBlock {
  readonly start: AssistantBlock;
  text: string;
  signature: string;
  /** It has parts that are not compared. */
  isOther: boolean;
}

export class ThreadedAttempt implements Attempt {
  readonly #attempt: Attempt;
  readonly #thread: ThreadOfRequest;
  readonly #blocks = new Map<number, OpenBlock>();
  #responseId = '';
  #inputTokens = 0;
  #isHeld = false;

  constructor(attempt: Attempt, thread: ThreadOfRequest) {
    this.#attempt = attempt;
    this.#thread = thread;
  }

  async next(): Promise<Batch | AttemptEnd> {
    const step = await this.#attempt.next();
    if (step.kind !== 'events') return step;
    for (const event of step.events) {
      if (event.type === 'message_start' && this.#lacksConversation(event))
        return notHeld(event.message.usage);
      this.#read(event);
    }
    return step;
  }

  close(): void {
    this.#attempt.close();
  }

  /** An endpoint that drops the field answers the new turns alone. */
  #lacksConversation({ message }: Extract<StreamEvent, { type: 'message_start' }>): boolean {
    return promptTokens(message.usage) < this.#thread.leastTokens * LEAST_SHARE;
  }

  #read(event: StreamEvent): void {
    switch (event.type) {
      case 'message_start':
        this.#thread.answered();
        // Until its end it is unknown whether the endpoint holds this answer.
        this.#thread.forget();
        this.#responseId = event.message.id;
        this.#inputTokens = promptTokens(event.message.usage);
        return;
      case 'content_block_start':
        this.#blocks.set(event.index, opened(event.content_block));
        return;
      case 'content_block_delta': {
        const block = this.#blocks.get(event.index);
        if (block !== undefined) grow(block, event.delta);
        return;
      }
      case 'message_delta':
        this.#isHeld = HELD.includes(event.delta.stop_reason ?? '');
        return;
      case 'message_stop':
        this.#end();
    }
  }

  #end(): void {
    const answer = [...this.#blocks.values()].map(closed);
    if (!this.#isHeld || !answer.every((json) => json !== undefined)) return;
    this.#thread.hold({ responseId: this.#responseId, answer, inputTokens: this.#inputTokens });
  }
}

/** It is charged like any answer. */
const notHeld = (usage: Usage): AttemptEnd => ({
  kind: 'failed',
  failure: {
    kind: 'invalid_request',
    errorType: NOT_HELD,
    message: 'The endpoint answered without the conversation that it should hold.',
  },
  facts: { started: false, usage },
});

function opened(start: AssistantBlock): OpenBlock {
  const text = start.type === 'text' ? start.text : start.type === 'thinking' ? start.thinking : '';
  const signature = start.type === 'thinking' ? (start.signature ?? '') : '';
  return { start, text: text ?? '', signature, isOther: false };
}

function grow(block: OpenBlock, delta: BlockDelta): void {
  if (delta.type === 'text_delta') block.text += delta.text;
  else if (delta.type === 'thinking_delta') block.text += delta.thinking;
  else if (delta.type === 'input_json_delta') block.text += delta.partial_json;
  else if (delta.type === 'signature_delta') block.signature = delta.signature;
  else block.isOther = true;
}

/** The JSON that a request would repeat it with; undefined: it is not repeated as it came. */
function closed({ start, text, signature, isOther }: OpenBlock): string | undefined {
  if (isOther) return undefined;
  switch (start.type) {
    case 'text':
      return jsonOfAnswer({ type: 'text', text });
    case 'thinking':
      return jsonOfAnswer({ type: 'thinking', thinking: text, signature });
    case 'redacted_thinking':
      return jsonOfAnswer(start);
    case 'tool_use': {
      const input = text === '' ? (start.input ?? {}) : readJsonObject(text);
      return input === undefined ? undefined : jsonOfAnswer({ ...start, input });
    }
    default:
      return undefined;
  }
}
