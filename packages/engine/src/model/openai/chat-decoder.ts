/**
 * Chunks of a chat completion as events of the Messages API. Tolerates what compatible servers make of it:
 * calls without id or index, several in one chunk, usage only at the end or never, no `[DONE]`.
 */

import { parseJson } from '@turnwright/base/bounded-json.ts';
import type { ModelFailure } from '../../protocol/model/failure.ts';
import type { HttpHead } from '../../protocol/model/provider-wire.ts';
import { replaceUsage } from '../../protocol/model/usage.ts';
import { EMPTY_USAGE, type StopReason, type StreamEvent, type Usage } from '../../protocol/model/wire.ts';
import { protocolFailure } from '../retry/classify-error.ts';
import type { EventDecoder } from '../stream/decode-events.ts';
import { isWhole, MessageWriter } from '../stream/message-writer.ts';
import { vendorSignature } from '../vendor-reasoning.ts';
import { classifyStreamed } from './classify-openai-error.ts';
import { type Fields, fieldsIn, listIn, numberIn, textIn } from './fields.ts';
import { otherWire } from './other-wire.ts';
import { estimatedUsage, usageIn, usageInTimings } from './read-usage.ts';
import { type KeptReasoning, mergeDetails, REASONING_FIELDS } from './reasoning.ts';

const DONE = '[DONE]';

export interface DecoderFor {
  readonly head: HttpHead;
  /** Where the reasoning comes from: `vendorSignature`. */
  readonly origin: string;
  /** Of the request: the basis of an estimate where the server reports no usage. */
  readonly requestBytes: number;
}

export function createChatDecoder(of: DecoderFor): EventDecoder {
  return new ChatDecoder(of);
}

interface Piece {
  readonly handle: ReturnType<MessageWriter['call']>;
  readonly index: number | undefined;
  readonly id: string;
}

class ChatDecoder extends MessageWriter implements EventDecoder {
  readonly #of: DecoderFor;
  #pieces: Piece[] = [];
  /** A call whose name has not arrived yet. */
  #nameless: { index: number | undefined; id: string; input: string; kept: unknown } | undefined;
  /** The field that reasoning came in; undefined: none is open. */
  #field: string | undefined;
  #details: Fields[] = [];
  #refused = false;
  /** Usage in the usual field, which counts before that of llama.cpp's timings. */
  #reported: Usage | undefined;

  constructor(of: DecoderFor) {
    super();
    this.#of = of;
  }

  decode(data: readonly string[], into: StreamEvent[]): ModelFailure | undefined {
    for (const one of data) {
      if (one.trim() === DONE) {
        this.target(into);
        this.#done();
        continue;
      }
      let chunk: unknown;
      try {
        chunk = parseJson(one);
      } catch {
        return this.#broken(`a chunk is not JSON (${one.length} characters)`);
      }
      const failure = this.accept(chunk, into);
      if (failure !== undefined) return failure;
    }
    return undefined;
  }

  accept(value: unknown, into: StreamEvent[]): ModelFailure | undefined {
    this.target(into);
    if (this.stopped) return undefined;
    const chunk = fieldsIn(value);
    if (chunk === undefined) return this.#broken('a chunk is not an object');
    if (chunk['error'] !== undefined && chunk['error'] !== null)
      return classifyStreamed(chunk, this.#of.head.headers);
    if (!('choices' in chunk) && !this.started) {
      const other = otherWire(chunk, 'chat', this.#of.head);
      if (other !== undefined) return other;
    }
    this.start(textIn(chunk, 'id'), textIn(chunk, 'model'));
    for (const choice of listIn(chunk['choices'])) this.#choice(fieldsIn(choice) ?? {});
    const usage = usageIn(chunk['usage']) ?? usageIn(fieldsIn(chunk['x_groq'])?.['usage']);
    if (usage !== undefined) {
      const sum = replaceUsage(this.#reported ?? EMPTY_USAGE, usage);
      this.#reported = usage.output_tokens > 0 ? sum : { ...sum, output_tokens: 0 };
    }
    this.usage = this.#reported ?? usageInTimings(chunk['timings']) ?? this.usage;
    return undefined;
  }

  /** The body has ended: a server may omit `[DONE]`, but not the reason why the answer ended. */
  end(into: StreamEvent[]): void {
    this.target(into);
    if (this.endedWith !== undefined) this.#done();
  }

  #choice(choice: Fields): void {
    // Only one answer is asked for.
    if ((numberIn(choice, 'index') ?? 0) !== 0) return;
    const delta = fieldsIn(choice['delta'] ?? choice['message']);
    if (delta !== undefined) this.#delta(delta);
    const finish = textIn(choice, 'finish_reason');
    if (finish === '') return;
    this.#leaveReasoning();
    this.announce(this.#stopReason(finish));
  }

  #delta(delta: Fields): void {
    const field = REASONING_FIELDS.find((name) => typeof delta[name] === 'string' && delta[name] !== '');
    if (field !== undefined) this.#reason(field, textIn(delta, field));
    this.#details = mergeDetails(this.#details, listIn(delta['reasoning_details']));
    if (typeof delta['content'] === 'string') this.#say(delta['content']);
    else for (const part of listIn(delta['content'])) this.#part(fieldsIn(part));
    if (textIn(delta, 'refusal') !== '') {
      this.#refused = true;
      this.#say(textIn(delta, 'refusal'));
    }
    for (const call of listIn(delta['tool_calls'])) this.#call(fieldsIn(call) ?? {});
    const legacy = fieldsIn(delta['function_call']);
    if (legacy !== undefined) this.#call({ index: 0, function: legacy });
  }

  /** Content in parts, as some servers stream it: text, and thinking beside it. */
  #part(part: Fields | undefined): void {
    if (part === undefined) return;
    if (part['type'] !== 'thinking') this.#say(textIn(part, 'text'));
    else
      for (const inner of listIn(part['thinking']))
        this.#reason('reasoning_content', textIn(fieldsIn(inner), 'text'));
  }

  #reason(field: string, text: string): void {
    if (text === '') return;
    this.#field = field;
    this.thinking(text);
  }

  #say(text: string): void {
    if (text === '') return;
    this.#leaveReasoning();
    this.text(text);
  }

  /** Signs the open reasoning, so that it is kept. */
  #leaveReasoning(): void {
    const field = this.#field;
    const details = this.#details;
    if (field === undefined && details.length === 0) return;
    // Late details precede the next call; an open call is not interrupted.
    if (field === undefined && this.calls.some(({ state }) => state === 'open')) return;
    this.#field = undefined;
    this.#details = [];
    this.sign(
      this.#signature({ ...(field !== undefined && { field }), ...(details.length > 0 && { details }) }),
    );
  }

  #signature(kept: KeptReasoning): string {
    return vendorSignature(this.#of.origin, kept);
  }

  #call(raw: Fields): void {
    this.#leaveReasoning();
    const index = numberIn(raw, 'index');
    const id = textIn(raw, 'id');
    const called = fieldsIn(raw['function']);
    const name = textIn(called, 'name');
    const input = inputIn(called?.['arguments']);
    const kept = raw['extra_content'] ?? raw['provider_specific_fields'];
    const open = this.#continued(index, id, name, input);
    if (open !== undefined) {
      this.addInput(open.handle, input);
      return;
    }
    const waiting = this.#nameless;
    this.#nameless = undefined;
    const whole = {
      index: index ?? waiting?.index,
      id: id || (waiting?.id ?? ''),
      input: (waiting?.input ?? '') + input,
      kept: kept ?? waiting?.kept,
    };
    if (name === '') {
      this.#nameless = whole;
      return;
    }
    const signature =
      fieldsIn(whole.kept) === undefined ? undefined : this.#signature({ extra: whole.kept as Fields });
    const handle = this.call(whole.id, name, signature);
    this.#pieces.push({ handle, index: whole.index, id: whole.id });
    this.addInput(handle, whole.input);
  }

  /** The call that a piece continues; undefined: a new one begins. */
  #continued(index: number | undefined, id: string, name: string, input: string): Piece | undefined {
    const last = this.#pieces.at(-1);
    const found =
      index !== undefined
        ? this.#pieces.findLast((piece) => piece.index === index)
        : id !== ''
          ? this.#pieces.findLast((piece) => piece.id === id)
          : last;
    if (found === undefined || name === '') return found;
    // Some servers number all calls 0, or send no number: another id begins another call.
    if (id !== '' && id !== found.id) return undefined;
    if (id === '' && isWhole(found.handle.input) && isWhole(input)) return undefined;
    if (index === undefined && id === '') return undefined;
    return found;
  }

  #stopReason(finish: string): StopReason {
    const called = this.#pieces.length > 0;
    switch (finish) {
      case 'length':
      case 'max_tokens':
      case 'MAX_TOKENS':
        return 'max_tokens';
      case 'content_filter':
        return 'refusal';
      case 'tool_calls':
      case 'function_call':
        return 'tool_use';
      default:
        if (called) return 'tool_use';
        return this.#refused ? 'refusal' : 'end_turn';
    }
  }

  #done(): void {
    if (!this.started || this.stopped) return;
    this.#leaveReasoning();
    if (this.endedWith === undefined) this.announce(this.#stopReason(''));
    this.finish(this.usage ?? estimatedUsage(this.#of.requestBytes, this.outputChars));
  }

  #broken(what: string): ModelFailure {
    return protocolFailure(`The stream is not in order: ${what}.`, this.#of.head, true);
  }
}

/** Arguments as JSON text; some servers send the object itself. */
function inputIn(value: unknown): string {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
}
