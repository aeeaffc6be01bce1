/** Messages of a run as chunks of the AI SDK's UI message stream (version 1 of its data protocol). */
import type { AssistantBlock, StreamEvent, ToolResultBlock } from '@turnwright/engine/protocol/model/wire.ts';
import type { SDKResultMessage } from '@turnwright/engine/protocol/stream/result-message.ts';
import type {
  SDKAssistantMessage,
  SDKMessage,
  SDKUserMessage,
} from '@turnwright/engine/protocol/stream/sdk-messages.ts';
import type { PageAsk, PageEvent } from './page-events.ts';

/**
 * The metadata of a message of `useChat`. What the result says is there when the run has ended.
 *
 * @example
 * ```ts
 * const costOf = ({ total_cost_usd = 0 }: ChatMetadata) => `${total_cost_usd.toFixed(2)} USD`;
 * ```
 */
export interface ChatMetadata
  extends Partial<Pick<SDKResultMessage, 'session_id' | 'total_cost_usd' | 'duration_ms'>> {
  /** Id of the run. */
  readonly run?: string;
  /** Why the run ended. */
  readonly terminal_reason?: SDKResultMessage['terminal_reason'] | undefined;
}

/**
 * A question about a tool call, as a `data-ask` part has it.
 *
 * @example
 * ```ts
 * const allow = ({ run, ask }: ChatAsk) => JSON.stringify({ run, ask, behavior: 'allow' });
 * ```
 */
export interface ChatAsk extends PageAsk {
  /** Id of the run; an answer names it. */
  readonly run: string;
  /** false: it was answered, or withdrawn. */
  readonly open: boolean;
}

/** The data parts of a message of `useChat`: `useChat<UIMessage<ChatMetadata, ChatData>>()` of the AI SDK. */
export type ChatData = {
  ask: ChatAsk;
  /** uuids of the messages that the model retracted; `keptParts()` leaves their parts out. */
  retracted: { readonly uuids: readonly string[] };
};

type Metadata = { readonly turnwright: { readonly uuid?: string; readonly retracted?: true } };

/** A chunk of the stream, as `useChat` reads it. */
export type UIMessageChunk =
  | { readonly type: 'start'; readonly messageId?: string; readonly messageMetadata?: ChatMetadata }
  | { readonly type: 'start-step' | 'finish-step' }
  | { readonly type: 'finish' }
  | { readonly type: 'message-metadata'; readonly messageMetadata: ChatMetadata }
  | { readonly type: 'text-start' | 'reasoning-start'; readonly id: string }
  | { readonly type: 'text-delta' | 'reasoning-delta'; readonly id: string; readonly delta: string }
  | { readonly type: 'text-end' | 'reasoning-end'; readonly id: string; readonly providerMetadata?: Metadata }
  | {
      readonly type: 'tool-input-start';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly dynamic: true;
    }
  | { readonly type: 'tool-input-delta'; readonly toolCallId: string; readonly inputTextDelta: string }
  | {
      readonly type: 'tool-input-available';
      readonly toolCallId: string;
      readonly toolName: string;
      readonly input: unknown;
      readonly dynamic: true;
    }
  | {
      readonly type: 'tool-output-available';
      readonly toolCallId: string;
      readonly output: unknown;
      readonly dynamic: true;
    }
  | {
      readonly type: 'tool-output-error';
      readonly toolCallId: string;
      readonly errorText: string;
      readonly dynamic: true;
    }
  | { readonly type: 'error'; readonly errorText: string }
  /** See docs/web.md. The later of two with the same id replaces the earlier one. */
  | { readonly type: 'data-ask'; readonly id: string; readonly data: ChatData['ask'] }
  | { readonly type: 'data-retracted'; readonly id: string; readonly data: ChatData['retracted'] };

/** A text, a thought or a call that has begun and whose whole block has not arrived. */
interface Part {
  readonly kind: 'text' | 'reasoning' | 'tool';
  readonly id: string;
  written: string;
}

/** One for each connection: it knows which parts it has begun. */
export class UIMessageChunks {
  #inStep: string | undefined;
  /** In the order of their blocks; the key is the index in the response. */
  readonly #parts = new Map<number, Part>();
  /** Calls without a result, by id: the uuid of their message. */
  readonly #calls = new Map<string, string>();
  readonly #retracted = new Set<string>();
  readonly #asks = new Map<string, PageAsk>();
  #made = 0;
  #run = '';

  *of(event: PageEvent): Generator<UIMessageChunk, void, void> {
    switch (event.event) {
      case 'run':
        this.#run = event.data.run;
        yield { type: 'start', messageId: event.data.run, messageMetadata: { run: event.data.run } };
        return;
      case 'message':
        yield* this.#message(event.data);
        return;
      case 'ask':
        this.#asks.set(event.data.ask, event.data);
        yield { type: 'data-ask', id: event.data.ask, data: { ...event.data, run: this.#run, open: true } };
        return;
      case 'answered': {
        const asked = this.#asks.get(event.data.ask) as PageAsk;
        yield { type: 'data-ask', id: event.data.ask, data: { ...asked, run: this.#run, open: false } };
        return;
      }
      case 'error':
        yield { type: 'error', errorText: event.data.message };
        return;
      case 'end':
        yield* this.#abandon();
        if (this.#inStep !== undefined) yield { type: 'finish-step' };
        yield { type: 'finish' };
        return;
      default:
        event satisfies never;
    }
  }

  *#message(message: SDKMessage): Generator<UIMessageChunk, void, void> {
    // What subagents say is not part of the answer; their result is that of the Agent call.
    if ('parent_tool_use_id' in message && message.parent_tool_use_id !== null) return;
    if (message.type === 'stream_event') yield* this.#streamed(message.event);
    else if (message.type === 'assistant') yield* this.#assistant(message);
    else if (message.type === 'user') yield* this.#user(message);
    else if (message.type === 'system' && message.subtype === 'informational')
      yield* this.#retract(message.retracted_message_uuids);
    else if (message.type === 'result') {
      const { session_id, total_cost_usd, duration_ms, terminal_reason } = message;
      const metadata = { run: this.#run, session_id, total_cost_usd, duration_ms, terminal_reason };
      yield { type: 'message-metadata', messageMetadata: metadata };
    }
  }

  *#streamed(event: StreamEvent): Generator<UIMessageChunk, void, void> {
    if (event.type === 'message_start') {
      yield* this.#abandon();
      yield* this.#step(event.message.id);
    } else if (event.type === 'content_block_start') {
      const { index, content_block: block } = event;
      if (block.type === 'text') yield this.#begin('text', index);
      else if (block.type === 'thinking') yield this.#begin('reasoning', index);
      else if (block.type === 'tool_use') {
        this.#parts.set(index, { kind: 'tool', id: block.id, written: '' });
        yield { type: 'tool-input-start', toolCallId: block.id, toolName: block.name, dynamic: true };
      }
    } else if (event.type === 'content_block_delta') {
      const part = this.#parts.get(event.index);
      const { delta } = event;
      if (part === undefined) return;
      if (delta.type === 'text_delta') yield* this.#write(part, delta.text);
      else if (delta.type === 'thinking_delta') yield* this.#write(part, delta.thinking);
      else if (delta.type === 'input_json_delta')
        yield { type: 'tool-input-delta', toolCallId: part.id, inputTextDelta: delta.partial_json };
    }
  }

  *#assistant(message: SDKAssistantMessage): Generator<UIMessageChunk, void, void> {
    yield* this.#retract(message.supersedes);
    yield* this.#step(message.message.id);
    for (const block of message.message.content) yield* this.#block(block, message.uuid);
  }

  *#block(block: AssistantBlock, uuid: string): Generator<UIMessageChunk, void, void> {
    if (block.type === 'tool_use') {
      this.#take('tool', block.id);
      this.#calls.set(block.id, uuid);
      const { id: toolCallId, name: toolName, input } = block;
      yield { type: 'tool-input-available', toolCallId, toolName, input, dynamic: true };
      return;
    }
    const [kind, text] =
      block.type === 'text'
        ? (['text', block.text] as const)
        : block.type === 'thinking'
          ? (['reasoning', block.thinking] as const)
          : [];
    if (kind === undefined) return;
    const begun = this.#take(kind);
    if (begun === undefined && text === '') return;
    const part = begun ?? { kind, id: this.#newId(kind), written: '' };
    if (begun === undefined) yield { type: `${kind}-start`, id: part.id };
    // What the connection was too slow to receive in pieces.
    if (text.startsWith(part.written)) yield* this.#write(part, text.slice(part.written.length));
    yield { type: `${kind}-end`, id: part.id, providerMetadata: { turnwright: { uuid } } };
  }

  *#user(message: SDKUserMessage): Generator<UIMessageChunk, void, void> {
    yield* this.#retract(message.retracted_message_uuids);
    const { content } = message.message;
    if (typeof content === 'string') return;
    for (const block of content) {
      if (block.type !== 'tool_result' || !this.#calls.delete(block.tool_use_id)) continue;
      const { tool_use_id: toolCallId } = block;
      if (block.is_error === true)
        yield { type: 'tool-output-error', toolCallId, errorText: toText(block), dynamic: true };
      else
        yield {
          type: 'tool-output-available',
          toolCallId,
          output: message.tool_use_result ?? toText(block),
          dynamic: true,
        };
    }
  }

  *#retract(uuids: readonly string[] = []): Generator<UIMessageChunk, void, void> {
    const fresh = uuids.filter((uuid) => !this.#retracted.has(uuid));
    if (fresh.length === 0) return;
    for (const uuid of fresh) this.#retracted.add(uuid);
    for (const [toolCallId, uuid] of this.#calls) {
      if (!this.#retracted.has(uuid)) continue;
      this.#calls.delete(toolCallId);
      yield { type: 'tool-output-error', toolCallId, errorText: RETRACTED, dynamic: true };
    }
    yield { type: 'data-retracted', id: 'retracted', data: { uuids: [...this.#retracted] } };
  }

  /** Ends parts whose whole block will never arrive. */
  *#abandon(): Generator<UIMessageChunk, void, void> {
    for (const { kind, id } of this.#parts.values()) {
      if (kind === 'tool')
        yield { type: 'tool-output-error', toolCallId: id, errorText: RETRACTED, dynamic: true };
      else yield { type: `${kind}-end`, id, providerMetadata: { turnwright: { retracted: true } } };
    }
    this.#parts.clear();
  }

  *#step(response: string): Generator<UIMessageChunk, void, void> {
    if (this.#inStep === response) return;
    if (this.#inStep !== undefined) yield { type: 'finish-step' };
    this.#inStep = response;
    yield { type: 'start-step' };
  }

  #begin(kind: 'text' | 'reasoning', index: number): UIMessageChunk {
    const part: Part = { kind, id: this.#newId(kind), written: '' };
    this.#parts.set(index, part);
    return { type: `${kind}-start`, id: part.id };
  }

  #newId(kind: string): string {
    this.#made += 1;
    return `${kind}-${this.#made}`;
  }

  *#write(part: Part, delta: string): Generator<UIMessageChunk, void, void> {
    if (delta === '' || part.kind === 'tool') return;
    part.written += delta;
    yield { type: `${part.kind}-delta`, id: part.id, delta };
  }

  /** The first part of this kind whose block has arrived. */
  #take(kind: Part['kind'], id?: string): Part | undefined {
    for (const [index, part] of this.#parts) {
      if (part.kind !== kind || (id !== undefined && part.id !== id)) continue;
      this.#parts.delete(index);
      return part;
    }
    return undefined;
  }
}

const RETRACTED = 'The model started its answer again; this call did not run.';

function toText({ content = '' }: ToolResultBlock): string {
  if (typeof content === 'string') return content;
  return content.map((block) => (block.type === 'text' ? block.text : `[${block.type}]`)).join('\n');
}
