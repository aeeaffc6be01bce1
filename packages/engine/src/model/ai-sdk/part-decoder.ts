/** Stream parts of the AI SDK as events of the Messages API. */

import type { ModelFailure } from '../../protocol/model/failure.ts';
import type { HttpHead } from '../../protocol/model/provider-wire.ts';
import type { StopReason, StreamEvent, Usage } from '../../protocol/model/wire.ts';
import { type Fields, fieldsIn, numberIn, textIn } from '../openai/fields.ts';
import { estimatedUsage } from '../openai/read-usage.ts';
import type { EventDecoder } from '../stream/decode-events.ts';
import { type CallHandle, isWhole, MessageWriter } from '../stream/message-writer.ts';
import { vendorSignature } from '../vendor-reasoning.ts';
import { classifyAiSdk } from './classify-ai-sdk-error.ts';
import type { KeptPart } from './prompt-messages.ts';

interface PartsFor {
  readonly head: HttpHead;
  readonly origin: string;
  readonly model: string;
  readonly requestBytes: number;
  /** The cached input is counted beside the other input (F108). */
  readonly cacheApart: boolean;
  /** The metadata of a call comes with its beginning, so that its input may stream. */
  readonly callsStream: boolean;
}

/** Metadata that says where a part came from; a part is understood without it. */
const BARE = new Set(['itemId', 'annotations', 'logprobs']);

export function createPartDecoder(of: PartsFor): EventDecoder {
  return new PartDecoder(of);
}

class PartDecoder extends MessageWriter implements EventDecoder {
  readonly #of: PartsFor;
  /** Metadata of the open reasoning, by its id. */
  #reasoning: { id: string; metadata: Fields | undefined } | undefined;
  /** Calls that stream, by id. */
  readonly #calls = new Map<string, CallHandle>();
  #done = false;

  constructor(of: PartsFor) {
    super();
    this.#of = of;
  }

  /** Parts are objects: there is nothing to parse. */
  decode(): undefined {
    return undefined;
  }

  accept(value: unknown, into: StreamEvent[]): ModelFailure | undefined {
    this.target(into);
    const part = fieldsIn(value);
    if (part === undefined || this.stopped) return undefined;
    switch (part['type']) {
      case 'response-metadata':
        this.start(textIn(part, 'id'), textIn(part, 'modelId') || this.#of.model);
        return undefined;
      case 'text-start': {
        this.#begin();
        const signature = this.#signatureOf(part);
        if (signature !== undefined) this.sign(signature);
        return undefined;
      }
      case 'text-delta':
        this.#begin();
        this.text(textIn(part, 'delta'));
        return undefined;
      case 'text-end':
        this.endBlock();
        return undefined;
      case 'reasoning-start':
        this.#begin();
        this.#reasoning = { id: textIn(part, 'id'), metadata: fieldsIn(part['providerMetadata']) };
        return undefined;
      case 'reasoning-delta':
        this.#begin();
        this.#reasoning ??= { id: textIn(part, 'id'), metadata: undefined };
        this.#learn(part);
        this.thinking(textIn(part, 'delta'));
        return undefined;
      case 'reasoning-end':
        this.#learn(part);
        this.#endReasoning();
        return undefined;
      case 'tool-input-start':
        this.#begin();
        this.contentCount++;
        if (this.#of.callsStream && part['providerExecuted'] !== true)
          this.#calls.set(textIn(part, 'id'), this.#callOf(textIn(part, 'id'), part));
        return undefined;
      case 'tool-input-delta': {
        this.contentCount++;
        const call = this.#calls.get(textIn(part, 'id'));
        if (call !== undefined) this.addInput(call, textIn(part, 'delta'));
        return undefined;
      }
      case 'tool-call':
        this.#call(part);
        return undefined;
      case 'finish':
        this.#finish(part);
        return undefined;
      case 'error':
        return classifyAiSdk(part['error'], this.#of.head);
      default:
        return undefined;
    }
  }

  end(into: StreamEvent[]): void {
    this.target(into);
    if (this.#done && !this.stopped) this.finish(this.usage ?? this.#estimate());
  }

  #begin(): void {
    this.start('', this.#of.model);
  }

  /** Later metadata adds to earlier: the signature comes last. */
  #learn(part: Fields): void {
    const open = this.#reasoning;
    const metadata = fieldsIn(part['providerMetadata']);
    if (open === undefined || metadata === undefined) return;
    const merged: Record<string, unknown> = { ...open.metadata };
    for (const [vendor, fields] of Object.entries(metadata))
      merged[vendor] = { ...fieldsIn(merged[vendor]), ...fieldsIn(fields) };
    open.metadata = merged;
  }

  #endReasoning(): void {
    const open = this.#reasoning;
    this.#reasoning = undefined;
    if (open === undefined) return;
    const { metadata } = open;
    this.sign(this.#signature({ reasoning: metadata === undefined ? {} : { metadata } }));
  }

  #call(part: Fields): void {
    // A call that the provider has run itself is not ours.
    if (part['providerExecuted'] === true) return;
    this.#begin();
    const id = textIn(part, 'toolCallId');
    const call = this.#calls.get(id) ?? this.#callOf(id, part);
    const { input } = part;
    const whole = typeof input === 'string' ? input : JSON.stringify(input ?? {});
    if (whole.startsWith(call.input)) this.addInput(call, whole.slice(call.input.length));
    // A package may also report a call whose stream was cut.
    if (isWhole(whole)) this.endCall(call);
  }

  #callOf(id: string, part: Fields): CallHandle {
    this.#endReasoning();
    return this.call(id, textIn(part, 'toolName'), this.#signatureOf(part));
  }

  /** Of the text or call that begins; undefined: the vendor wants nothing back. */
  #signatureOf(part: Fields): string | undefined {
    const metadata = fieldsIn(part['providerMetadata']);
    const wanted = Object.values(metadata ?? {}).some((of) =>
      Object.entries(fieldsIn(of) ?? {}).some(([name, value]) => value != null && !BARE.has(name)),
    );
    return wanted ? this.#signature({ next: metadata as Fields }) : undefined;
  }

  /**
   * Packages end a stream by `finish` even where the connection was cut: V4 says so, in V2 and V3 it names no
   * reason and no usage then.
   */
  #finish(part: Fields): void {
    const reason = part['finishReason'];
    const unified = typeof reason === 'string' ? reason : fieldsIn(reason)?.['unified'];
    const raw = fieldsIn(reason)?.['raw'] ?? unified;
    const usage = toUsage(part['usage'], this.#of.cacheApart);
    if (unified === 'interrupted') return;
    if (usage === undefined && (raw === undefined || raw === 'unknown' || raw === 'other')) return;
    this.#begin();
    this.#endReasoning();
    this.#done = true;
    this.announce(this.#stopReason(unified));
    this.finish(usage ?? this.#estimate());
  }

  #stopReason(unified: unknown): StopReason {
    if (unified === 'length') return 'max_tokens';
    if (unified === 'content-filter') return 'refusal';
    return unified === 'tool-calls' || this.calls.length > 0 ? 'tool_use' : 'end_turn';
  }

  #signature(kept: KeptPart): string {
    return vendorSignature(this.#of.origin, kept);
  }

  #estimate(): Usage {
    return estimatedUsage(this.#of.requestBytes, this.outputChars);
  }
}

/** Usage of V2 (numbers), and of V3 and V4 (objects), in the terms of the Messages API (F108). */
export function toUsage(value: unknown, cacheApart: boolean): Usage | undefined {
  const usage = fieldsIn(value);
  if (usage === undefined) return undefined;
  const input = fieldsIn(usage['inputTokens']);
  const output = fieldsIn(usage['outputTokens']);
  const read = numberIn(input, 'cacheRead') ?? numberIn(usage, 'cachedInputTokens') ?? 0;
  const written = numberIn(input, 'cacheWrite') ?? 0;
  const total = numberIn(input, 'total') ?? numberIn(usage, 'inputTokens');
  const answer = numberIn(output, 'total') ?? numberIn(usage, 'outputTokens');
  if (total === undefined && answer === undefined) return undefined;
  const apart = input === undefined && (cacheApart || read > (total ?? 0));
  const reasoning = numberIn(output, 'reasoning') ?? numberIn(usage, 'reasoningTokens');
  const fresh = numberIn(input, 'noCache') ?? (total ?? 0) - (apart ? 0 : read + written);
  return {
    input_tokens: Math.max(0, fresh),
    output_tokens: answer ?? 0,
    cache_creation_input_tokens: written,
    cache_read_input_tokens: read,
    ...(reasoning !== undefined &&
      reasoning > 0 && { output_tokens_details: { thinking_tokens: reasoning } }),
  };
}
