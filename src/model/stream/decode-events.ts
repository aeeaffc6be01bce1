/**
 * Converts the data of SSE events to stream events in a valid order: a message begins once, blocks are opened
 * before they grow, nothing stays open. Unknown event, delta and block types are tolerated; a violation of
 * the order is a failure, never a crash or an incomplete block (F41).
 */

import type { ModelFailure } from '../../protocol/model/failure.ts';
import type { HttpHead } from '../../protocol/model/provider-wire.ts';
import { readUsage, replaceUsage, soundUsage } from '../../protocol/model/usage.ts';
import { EMPTY_USAGE, type StreamEvent, type Usage, type WireResponse } from '../../protocol/model/wire.ts';
import { parseJson } from '../../util/bounded-json.ts';
import type { Writable } from '../../util/collections/writable.ts';
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
  /** Types of the open blocks, by index. */
  const open = new Map<number, string>();
  const seen = new Set<number>();
  /**
   * Beginning of the last delta, while its block is open: a delta that begins the same is parsed from there
   * on.
   */
  let deltaHead: DeltaHead | undefined;
  /** The block that grew last, and whether it grew twice in a row: only then the beginning is compared. */
  let grown: unknown;
  let growsOn = false;

  const broken = (what: string) => protocolFailure(`The stream is not in order: ${what}.`, head, true);

  function decode(data: readonly string[], into: StreamEvent[]): ModelFailure | undefined {
    for (const one of data) {
      const delta = deltaHead === undefined ? undefined : deltaBehind(deltaHead, one);
      if (delta !== undefined) {
        decoder.contentCount++;
        decoder.blockCount++;
        into.push(delta);
        continue;
      }
      const failure = decodeWhole(one, into);
      if (failure !== undefined) return failure;
    }
    return undefined;
  }

  function decodeWhole(data: string, into: StreamEvent[]): ModelFailure | undefined {
    let event: unknown;
    try {
      event = parseJson(data);
    } catch {
      return data === '[DONE]' ? undefined : broken(`an event is not JSON (${data.length} characters)`);
    }
    growsOn = false;
    const failure = accept(event, into);
    if (!growsOn) return failure;
    const head = BEFORE_TEXT.exec(data);
    if (head !== null && KNOWN_DELTAS.get(head[2]) === head[3] && open.has(Number(head[1])))
      deltaHead = { json: head[0], index: Number(head[1]), type: head[2] as string };
    return failure;
  }

  function accept(value: unknown, into: StreamEvent[]): ModelFailure | undefined {
    const event = value as Raw;
    if (typeof event !== 'object' || event === null) return broken('an event is not an object');
    if (decoder.stopped) return undefined;
    switch (event.type) {
      case 'content_block_delta':
        return onDelta(event, into);
      case 'content_block_start':
        return onBlockStart(event, into);
      case 'content_block_stop':
        return onBlockStop(event, into);
      case 'message_start':
        return onStart(event, into);
      case 'message_delta':
        return onMessageDelta(event, into);
      case 'message_stop':
        if (!decoder.started) return broken('message_stop without message_start');
        if (open.size > 0) return broken('message_stop inside an open block');
        decoder.stopped = true;
        decoder.contentCount++;
        into.push({ type: 'message_stop' });
        return undefined;
      case 'ping':
        into.push({ type: 'ping' });
        return undefined;
      case 'error':
        return classifyStreamError(event, head.headers);
      default:
        // Some gateways send the error object without an envelope.
        return record(event['error']) && event.type === undefined
          ? classifyStreamError(event, head.headers)
          : decoder.started
            ? undefined
            : otherApiFailure(event, head);
    }
  }

  function onStart(event: Raw, into: StreamEvent[]): ModelFailure | undefined {
    if (decoder.started) return broken('a second message_start');
    const message = record(event['message']);
    if (message === undefined) return broken('message_start without a message');
    decoder.started = true;
    decoder.contentCount++;
    const usage = readUsage(message['usage']);
    decoder.usage = usage;
    decoder.model = typeof message['model'] === 'string' ? message['model'] : undefined;
    into.push({ ...event, type: 'message_start', message: wholeMessage(message, usage) });
    return undefined;
  }

  function onBlockStart(event: Raw, into: StreamEvent[]): ModelFailure | undefined {
    const index = event['index'];
    const block = record(event['content_block']);
    if (!decoder.started) return broken('content before message_start');
    if (typeof index !== 'number' || block === undefined || typeof block['type'] !== 'string')
      return broken('a block without index or type');
    if (seen.has(index)) return broken(`block ${index} began twice`);
    seen.add(index);
    open.set(index, block['type']);
    decoder.contentCount++;
    decoder.blockCount++;
    into.push(event as unknown as StreamEvent);
    return undefined;
  }

  function onDelta(event: Raw, into: StreamEvent[]): ModelFailure | undefined {
    const type = open.get(event['index'] as number);
    if (type === undefined) return broken(`a delta for block ${String(event['index'])}, which is not open`);
    const delta = event['delta'] as Raw | null | undefined;
    if (typeof delta !== 'object' || delta === null) return broken('a delta without content');
    decoder.contentCount++;
    decoder.blockCount++;
    const field = KNOWN_DELTAS.get(delta.type);
    if (field === undefined) return undefined;
    if (field !== '' && typeof delta[field] !== 'string')
      return broken(`a ${String(delta.type)} without its text`);
    if (DELTAS[type]?.includes(delta.type as string) === false)
      return broken(`a ${String(delta.type)} in a ${type} block`);
    into.push(event as unknown as StreamEvent);
    growsOn = grown === event['index'];
    grown = event['index'];
    return undefined;
  }

  function onBlockStop(event: Raw, into: StreamEvent[]): ModelFailure | undefined {
    deltaHead = undefined;
    grown = undefined;
    if (!open.delete(event['index'] as number))
      return broken(`block ${String(event['index'])} ends without having begun`);
    decoder.contentCount++;
    into.push(event as unknown as StreamEvent);
    return undefined;
  }

  function onMessageDelta(event: Raw, into: StreamEvent[]): ModelFailure | undefined {
    if (!decoder.started) return broken('message_delta before message_start');
    const delta = record(event['delta']) ?? {};
    decoder.contentCount++;
    const reported = record(event['usage']);
    const usage = reported && soundUsage(reported);
    decoder.usage = replaceUsage(decoder.usage ?? EMPTY_USAGE, usage);
    into.push({
      ...event,
      type: 'message_delta',
      delta: { stop_reason: null, ...delta },
      ...(usage && { usage }),
    } as StreamEvent);
    return undefined;
  }

  const decoder: Writable<EventDecoder> = {
    decode,
    accept,
    started: false,
    stopped: false,
    usage: undefined,
    model: undefined,
    contentCount: 0,
    blockCount: 0,
    thinkingOpen() {
      for (const type of open.values()) if (type === 'thinking' || type === 'redacted_thinking') return true;
      return false;
    },
  };
  return decoder;
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
  return typeof value === 'object' && value !== null && !Array.isArray(value)
    ? (value as Record<string, unknown>)
    : undefined;
}
