/**
 * Converts the data of SSE events to stream events in a valid order: a message begins once, blocks are opened
 * before they grow, nothing stays open. Unknown event, delta and block types are tolerated; a violation of
 * the order is a failure, never a crash or an incomplete block (F41).
 */

import { parseJson } from '@turnwright/base/bounded-json.ts';
import { isRecord } from '@turnwright/base/json-values.ts';
import type { ModelFailure } from '../../protocol/model/failure.ts';
import type { HttpHead } from '../../protocol/model/provider-wire.ts';
import { readUsage, replaceUsage, soundUsage } from '../../protocol/model/usage.ts';
import { EMPTY_USAGE, type StreamEvent, type Usage, type WireResponse } from '../../protocol/model/wire.ts';
import { classifyStreamError, protocolFailure } from '../retry/classify-error.ts';
import { otherApiFailure } from '../retry/other-api.ts';

type Raw = { readonly type?: unknown; readonly [key: string]: unknown };

export interface EventDecoder {
  /** Appends the decoded events to `into`. Returns a failure if it cannot continue. */
  decode(data: readonly string[], into: StreamEvent[]): ModelFailure | undefined;
  /** Like `decode`, for one event that is parsed already. */
  accept(event: unknown, into: StreamEvent[]): ModelFailure | undefined;
  /** The body has ended: appends what is due, where the API marks the end of an answer by nothing else. */
  end?(into: StreamEvent[]): void;
  readonly started: boolean;
  readonly stopped: boolean;
  /** Usage as far as it was reported. */
  readonly usage: Usage | undefined;
  readonly model: string | undefined;
  /** Number of events other than pings, and of those inside blocks. */
  readonly contentCount: number;
  readonly blockCount: number;
  thinkingOpen(): boolean;
}

/** The deltas that a block of a type accepts; a block of another type accepts any. */
const DELTAS: Readonly<Record<string, readonly string[]>> = {
  text: ['text_delta', 'citations_delta'],
  thinking: ['thinking_delta', 'signature_delta'],
  redacted_thinking: [],
  tool_use: ['input_json_delta'],
};
const KNOWN_DELTAS = new Map<unknown, string>([
  ['text_delta', 'text'],
  ['input_json_delta', 'partial_json'],
  ['thinking_delta', 'thinking'],
  ['signature_delta', 'signature'],
  ['citations_delta', ''],
  ['compaction_delta', ''],
]);

/** The deltas of a block differ only in their text, which comes last. */
const BEFORE_TEXT =
  /^\{\s*"type":\s*"content_block_delta",\s*"index":\s*(\d+),\s*"delta":\s*\{\s*"type":\s*"(text_delta|input_json_delta|thinking_delta)",\s*"(text|partial_json|thinking)":\s*(?=")/;
const BEHIND_TEXT = '"}}';

interface DeltaHead {
  readonly json: string;
  readonly index: number;
  readonly type: string;
}

export function createEventDecoder(head: HttpHead): EventDecoder {
  return new Decoder(head);
}

class Decoder implements EventDecoder {
  started = false;
  stopped = false;
  usage: Usage | undefined;
  model: string | undefined;
  contentCount = 0;
  blockCount = 0;
  readonly #head: HttpHead;
  /** Types of the open blocks, by index. */
  readonly #open = new Map<number, string>();
  readonly #seen = new Set<number>();
  /**
   * Beginning of the last delta, while its block is open: a delta that begins the same is parsed from there
   * on.
   */
  #deltaHead: DeltaHead | undefined;
  /** The block that grew last, and whether it grew twice in a row: only then the beginning is compared. */
  #grown: unknown;
  #growsOn = false;

  constructor(head: HttpHead) {
    this.#head = head;
  }

  thinkingOpen(): boolean {
    for (const type of this.#open.values())
      if (type === 'thinking' || type === 'redacted_thinking') return true;
    return false;
  }

  decode(data: readonly string[], into: StreamEvent[]): ModelFailure | undefined {
    for (const one of data) {
      const delta = this.#deltaHead === undefined ? undefined : deltaBehind(this.#deltaHead, one);
      if (delta !== undefined) {
        this.contentCount++;
        this.blockCount++;
        into.push(delta);
        continue;
      }
      const failure = this.#decodeWhole(one, into);
      if (failure !== undefined) return failure;
    }
    return undefined;
  }

  #decodeWhole(data: string, into: StreamEvent[]): ModelFailure | undefined {
    let event: unknown;
    try {
      event = parseJson(data);
    } catch {
      return data === '[DONE]' ? undefined : this.#broken(`an event is not JSON (${data.length} characters)`);
    }
    this.#growsOn = false;
    const failure = this.accept(event, into);
    if (!this.#growsOn) return failure;
    const begins = BEFORE_TEXT.exec(data);
    if (begins !== null && KNOWN_DELTAS.get(begins[2]) === begins[3] && this.#open.has(Number(begins[1])))
      this.#deltaHead = { json: begins[0], index: Number(begins[1]), type: begins[2] as string };
    return failure;
  }

  accept(value: unknown, into: StreamEvent[]): ModelFailure | undefined {
    const event = value as Raw;
    if (typeof event !== 'object' || event === null) return this.#broken('an event is not an object');
    if (this.stopped) return undefined;
    switch (event.type) {
      case 'content_block_delta':
        return this.#onDelta(event, into);
      case 'content_block_start':
        return this.#onBlockStart(event, into);
      case 'content_block_stop':
        return this.#onBlockStop(event, into);
      case 'message_start':
        return this.#onStart(event, into);
      case 'message_delta':
        return this.#onMessageDelta(event, into);
      case 'message_stop':
        if (!this.started) return this.#broken('message_stop without message_start');
        if (this.#open.size > 0) return this.#broken('message_stop inside an open block');
        this.stopped = true;
        this.contentCount++;
        into.push({ type: 'message_stop' });
        return undefined;
      case 'ping':
        into.push({ type: 'ping' });
        return undefined;
      case 'error':
        return classifyStreamError(event, this.#head.headers);
      default:
        // Some gateways send the error object without an envelope.
        return record(event['error']) && event.type === undefined
          ? classifyStreamError(event, this.#head.headers)
          : this.started
            ? undefined
            : otherApiFailure(event, this.#head);
    }
  }

  #onStart(event: Raw, into: StreamEvent[]): ModelFailure | undefined {
    if (this.started) return this.#broken('a second message_start');
    const message = record(event['message']);
    if (message === undefined) return this.#broken('message_start without a message');
    this.started = true;
    this.contentCount++;
    const usage = readUsage(message['usage']);
    this.usage = usage;
    this.model = typeof message['model'] === 'string' ? message['model'] : undefined;
    into.push({ ...event, type: 'message_start', message: wholeMessage(message, usage) });
    return undefined;
  }

  #onBlockStart(event: Raw, into: StreamEvent[]): ModelFailure | undefined {
    const index = event['index'];
    const block = record(event['content_block']);
    if (!this.started) return this.#broken('content before message_start');
    if (typeof index !== 'number' || block === undefined || typeof block['type'] !== 'string')
      return this.#broken('a block without index or type');
    if (this.#seen.has(index)) return this.#broken(`block ${index} began twice`);
    this.#seen.add(index);
    this.#open.set(index, block['type']);
    this.contentCount++;
    this.blockCount++;
    into.push(event as unknown as StreamEvent);
    return undefined;
  }

  #onDelta(event: Raw, into: StreamEvent[]): ModelFailure | undefined {
    const type = this.#open.get(event['index'] as number);
    if (type === undefined)
      return this.#broken(`a delta for block ${String(event['index'])}, which is not open`);
    const delta = event['delta'] as Raw | null | undefined;
    if (typeof delta !== 'object' || delta === null) return this.#broken('a delta without content');
    this.contentCount++;
    this.blockCount++;
    const field = KNOWN_DELTAS.get(delta.type);
    if (field === undefined) return undefined;
    if (field !== '' && typeof delta[field] !== 'string')
      return this.#broken(`a ${String(delta.type)} without its text`);
    if (DELTAS[type]?.includes(delta.type as string) === false)
      return this.#broken(`a ${String(delta.type)} in a ${type} block`);
    into.push(event as unknown as StreamEvent);
    this.#growsOn = this.#grown === event['index'];
    this.#grown = event['index'];
    return undefined;
  }

  #onBlockStop(event: Raw, into: StreamEvent[]): ModelFailure | undefined {
    this.#deltaHead = undefined;
    this.#grown = undefined;
    if (!this.#open.delete(event['index'] as number))
      return this.#broken(`block ${String(event['index'])} ends without having begun`);
    this.contentCount++;
    into.push(event as unknown as StreamEvent);
    return undefined;
  }

  #onMessageDelta(event: Raw, into: StreamEvent[]): ModelFailure | undefined {
    if (!this.started) return this.#broken('message_delta before message_start');
    const delta = record(event['delta']) ?? {};
    this.contentCount++;
    const reported = record(event['usage']);
    const usage = reported && soundUsage(reported);
    this.usage = replaceUsage(this.usage ?? EMPTY_USAGE, usage);
    into.push({
      ...event,
      type: 'message_delta',
      delta: { stop_reason: null, ...delta },
      ...(usage && { usage }),
    } as StreamEvent);
    return undefined;
  }

  #broken(what: string): ModelFailure {
    return protocolFailure(`The stream is not in order: ${what}.`, this.#head, true);
  }
}

/** undefined: it begins or ends differently. */
function deltaBehind({ json, index, type }: DeltaHead, data: string): StreamEvent | undefined {
  // Compared as whole strings: `startsWith` compares one character after the other.
  if (data.slice(0, json.length) !== json || !data.endsWith(BEHIND_TEXT)) return undefined;
  let text: string;
  try {
    text = JSON.parse(data.slice(json.length, 1 - BEHIND_TEXT.length));
  } catch {
    return undefined; // more than a text stands there
  }
  switch (type) {
    case 'text_delta':
      return { type: 'content_block_delta', index, delta: { type, text } };
    case 'input_json_delta':
      return { type: 'content_block_delta', index, delta: { type, partial_json: text } };
    default:
      return { type: 'content_block_delta', index, delta: { type: 'thinking_delta', thinking: text } };
  }
}

/** Local servers omit fields that consumers rely on. */
function wholeMessage(message: Record<string, unknown>, usage: Usage): WireResponse {
  return {
    stop_reason: null,
    stop_sequence: null,
    ...message,
    id: typeof message['id'] === 'string' ? message['id'] : '',
    type: 'message',
    role: 'assistant',
    model: typeof message['model'] === 'string' ? message['model'] : '',
    content: Array.isArray(message['content']) ? message['content'] : [],
    usage,
  } as WireResponse;
}

function record(value: unknown): Record<string, unknown> | undefined {
  return isRecord(value) ? value : undefined;
}
