/** Events of the Responses API as events of the Messages API. */

import { parseJson } from '@turnwright/base/bounded-json.ts';
import type { ModelFailure } from '../../protocol/model/failure.ts';
import type { StreamEvent } from '../../protocol/model/wire.ts';
import { protocolFailure } from '../retry/classify-error.ts';
import type { EventDecoder } from '../stream/decode-events.ts';
import { type CallHandle, MessageWriter } from '../stream/message-writer.ts';
import { vendorSignature } from '../vendor-reasoning.ts';
import type { DecoderFor } from './chat-decoder.ts';
import { classifyStreamed } from './classify-openai-error.ts';
import { type Fields, fieldsIn, listIn, textIn } from './fields.ts';
import { otherWire } from './other-wire.ts';
import { estimatedUsage, usageIn } from './read-usage.ts';
import type { KeptItem } from './responses-input.ts';

export function createResponsesDecoder(of: DecoderFor): EventDecoder {
  return new ResponsesDecoder(of);
}

class ResponsesDecoder extends MessageWriter implements EventDecoder {
  readonly #of: DecoderFor;
  /** Calls by the id of their item, or by its place. */
  readonly #calls = new Map<string, CallHandle>();
  /** Items whose content has arrived in deltas. */
  readonly #streamed = new Set<string>();
  #refused = false;

  constructor(of: DecoderFor) {
    super();
    this.#of = of;
  }

  decode(data: readonly string[], into: StreamEvent[]): ModelFailure | undefined {
    for (const one of data) {
      let event: unknown;
      try {
        event = parseJson(one);
      } catch {
        if (one.trim() === '[DONE]') continue;
        return this.#broken(`an event is not JSON (${one.length} characters)`);
      }
      const failure = this.accept(event, into);
      if (failure !== undefined) return failure;
    }
    return undefined;
  }

  accept(value: unknown, into: StreamEvent[]): ModelFailure | undefined {
    this.target(into);
    if (this.stopped) return undefined;
    const event = fieldsIn(value);
    if (event === undefined) return this.#broken('an event is not an object');
    const item = fieldsIn(event['item']);
    const response = fieldsIn(event['response']);
    switch (event['type']) {
      case 'response.created':
      case 'response.queued':
      case 'response.in_progress':
        this.start(textIn(response, 'id'), textIn(response, 'model'));
        return undefined;
      case 'response.output_item.added':
        if (item !== undefined) this.#begin(item, event);
        return undefined;
      case 'response.output_text.delta':
        this.#streamed.add(toItemKey(event));
        this.text(textIn(event, 'delta'));
        return undefined;
      case 'response.refusal.delta':
        this.#refused = true;
        this.#streamed.add(toItemKey(event));
        this.text(textIn(event, 'delta'));
        return undefined;
      case 'response.reasoning_summary_part.added':
        if (this.thinkingOpen()) this.thinking('\n\n');
        return undefined;
      case 'response.reasoning_summary_text.delta':
      case 'response.reasoning_text.delta':
      case 'response.reasoning.delta':
        this.#streamed.add(toItemKey(event));
        this.thinking(textIn(event, 'delta'));
        return undefined;
      case 'response.function_call_arguments.delta': {
        const call = this.#calls.get(toItemKey(event));
        if (call !== undefined) this.addInput(call, textIn(event, 'delta'));
        return undefined;
      }
      case 'response.output_item.done':
        if (item !== undefined) this.#finishItem(item, event);
        return undefined;
      case 'response.completed':
      case 'response.incomplete':
      case 'response.done':
        this.#end(response ?? {});
        return undefined;
      case 'response.failed':
      case 'error':
        return classifyStreamed(
          fieldsIn(response?.['error']) === undefined ? event : { error: response?.['error'] },
          this.#of.head.headers,
        );
      default:
        if (fieldsIn(event['error']) !== undefined) return classifyStreamed(event, this.#of.head.headers);
        return this.started ? undefined : otherWire(event, 'responses', this.#of.head);
    }
  }

  #begin(item: Fields, event: Fields): void {
    this.start('', '');
    if (item['type'] === 'message') {
      const phase = textIn(item, 'phase');
      if (phase !== '') this.sign(this.#signature({ phase }));
    }
    if (item['type'] === 'function_call') this.#callOf(item, event);
  }

  #callOf(item: Fields, event: Fields): CallHandle {
    const key = toItemKey({ ...event, item_id: item['id'] ?? event['item_id'] });
    let call = this.#calls.get(key);
    if (call === undefined) {
      call = this.call(textIn(item, 'call_id') || textIn(item, 'id'), textIn(item, 'name'));
      this.#calls.set(key, call);
      this.addInput(call, textIn(item, 'arguments'));
    }
    return call;
  }

  /** Adds what did not arrive in deltas. */
  #finishItem(item: Fields, event: Fields): void {
    this.start('', '');
    const key = toItemKey({ ...event, item_id: item['id'] ?? event['item_id'] });
    switch (item['type']) {
      case 'reasoning': {
        if (!this.#streamed.has(key)) this.thinking(joinSummary(item));
        // `status` is a field of answers only.
        const { status: _, ...kept } = item;
        this.sign(this.#signature({ item: kept }));
        return;
      }
      case 'message':
        if (!this.#streamed.has(key)) this.#wholeMessage(item);
        this.endBlock();
        return;
      case 'function_call': {
        const call = this.#callOf(item, event);
        const whole = textIn(item, 'arguments');
        if (whole.startsWith(call.input)) this.addInput(call, whole.slice(call.input.length));
        this.endCall(call);
      }
    }
  }

  #wholeMessage(item: Fields): void {
    for (const part of listIn(item['content'])) {
      const refusal = textIn(fieldsIn(part), 'refusal');
      if (refusal !== '') this.#refused = true;
      this.text(textIn(fieldsIn(part), 'text') || refusal);
    }
  }

  #end(response: Fields): void {
    this.start(textIn(response, 'id'), textIn(response, 'model'));
    const why = textIn(fieldsIn(response['incomplete_details']), 'reason');
    if (why === 'max_output_tokens') this.announce('max_tokens');
    else if (why === 'content_filter' || this.#refused) this.announce('refusal');
    else this.announce(this.calls.length > 0 ? 'tool_use' : 'end_turn');
    this.finish(usageIn(response['usage']) ?? estimatedUsage(this.#of.requestBytes, this.outputChars));
  }

  #signature(kept: KeptItem): string {
    return vendorSignature(this.#of.origin, kept);
  }

  #broken(what: string): ModelFailure {
    return protocolFailure(`The stream is not in order: ${what}.`, this.#of.head, true);
  }
}

/** The item that an event is about: its id, or its place where a server gives changing ids. */
function toItemKey(event: Fields): string {
  const place = event['output_index'];
  return typeof place === 'number' ? String(place) : String(event['item_id'] ?? '');
}

function joinSummary(item: Fields): string {
  const parts = [...listIn(item['summary']), ...listIn(item['content'])];
  return parts.map((part) => textIn(fieldsIn(part), 'text')).join('\n\n');
}

/** The events of a response that came as one JSON object; undefined: it is none. */
export function eventsOfResponse(answer: unknown): readonly unknown[] | undefined {
  const response = fieldsIn(answer);
  if (response === undefined || !Array.isArray(response['output'])) return undefined;
  if (response['status'] === 'failed') return [{ type: 'response.failed', response }];
  return [
    { type: 'response.created', response },
    ...response['output'].map((item, output_index) => ({
      type: 'response.output_item.done',
      output_index,
      item,
    })),
    { type: 'response.completed', response },
  ];
}
