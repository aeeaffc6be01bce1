/**
 * Writes the answer of another API as events of the Messages API: one message, one open block at a time. Tool
 * calls whose pieces are interleaved are put in order: a call is closed when the next one begins, if its
 * input is whole, else those behind it wait.
 */

import { parseJson } from '@turnwright/base/bounded-json.ts';
import { EMPTY_USAGE, type StopReason, type StreamEvent, type Usage } from '../../protocol/model/wire.ts';

interface WrittenCall {
  id: string;
  name: string;
  /** Input as JSON text, as far as it has arrived. */
  input: string;
  /** Characters of `input` that were emitted. */
  emitted: number;
  state: 'waiting' | 'open' | 'closed';
  /** Signature that is emitted in front of it. */
  signature: string | undefined;
}

/** A call that has begun; its pieces are added with `addInput`. */
export type CallHandle = Readonly<Pick<WrittenCall, 'id' | 'name' | 'input' | 'state'>>;

export class MessageWriter {
  started = false;
  stopped = false;
  usage: Usage | undefined;
  model: string | undefined;
  contentCount = 0;
  blockCount = 0;
  /** Characters of text, thinking and inputs: the basis of an estimate where no usage is reported. */
  outputChars = 0;
  #into: StreamEvent[] = [];
  #open: 'text' | 'thinking' | 'tool_use' | undefined;
  #index = -1;
  #calls: WrittenCall[] = [];
  #ended: StopReason | undefined;

  /** The events of the next calls are appended to this list. */
  target(into: StreamEvent[]): void {
    this.#into = into;
  }

  get calls(): readonly CallHandle[] {
    return this.#calls;
  }

  /** The stop reason that was announced; the message is not complete yet. */
  get endedWith(): StopReason | undefined {
    return this.#ended;
  }

  thinkingOpen(): boolean {
    return this.#open === 'thinking';
  }

  start(id: string, model: string): void {
    if (this.started) return;
    this.started = true;
    this.contentCount++;
    this.model = model === '' ? undefined : model;
    this.#into.push({
      type: 'message_start',
      message: {
        id,
        type: 'message',
        role: 'assistant',
        model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: EMPTY_USAGE,
      },
    });
  }

  text(text: string): void {
    if (text === '') return;
    this.#begin('text');
    this.#count(text);
    this.#push({ type: 'content_block_delta', index: this.#index, delta: { type: 'text_delta', text } });
  }

  thinking(thinking: string): void {
    if (thinking === '') return;
    this.#begin('thinking');
    this.#count(thinking);
    this.#push({
      type: 'content_block_delta',
      index: this.#index,
      delta: { type: 'thinking_delta', thinking },
    });
  }

  /** Ends the open thinking block, or adds one without text: what the vendor wants back. */
  sign(signature: string): void {
    this.#begin('thinking');
    this.#push({
      type: 'content_block_delta',
      index: this.#index,
      delta: { type: 'signature_delta', signature },
    });
    this.endBlock();
  }

  /** Ends the open block of text or thinking; unsigned thinking is not kept by the loop. */
  endBlock(): void {
    if (this.#open === undefined || this.#open === 'tool_use') return;
    this.#close();
  }

  /** A call begins. `signature`: what the vendor wants back with it. */
  call(id: string, name: string, signature?: string): CallHandle {
    const call: WrittenCall = { id, name, input: '', emitted: 0, state: 'waiting', signature };
    this.#calls.push(call);
    this.contentCount++;
    this.#advance(call);
    return call;
  }

  addInput(handle: CallHandle, json: string): void {
    const call = handle as WrittenCall;
    if (call.state === 'closed' || json === '') return;
    call.input += json;
    this.contentCount++;
    this.outputChars += json.length;
    if (call.state === 'open') this.#emitInput(call);
  }

  /** The input of the call is complete: the next one may begin. */
  endCall(handle: CallHandle): void {
    const call = handle as WrittenCall;
    if (call.state === 'open') this.#closeCall(call);
  }

  /** Closes all blocks: the reason why the answer ends is known. The message ends with `finish`. */
  announce(stopReason: StopReason): void {
    this.#flushCalls();
    this.endBlock();
    this.#ended = stopReason;
    this.contentCount++;
  }

  finish(usage: Usage): void {
    if (this.stopped) return;
    this.#flushCalls();
    this.endBlock();
    this.usage = usage;
    this.#push({
      type: 'message_delta',
      delta: { stop_reason: this.#ended ?? null, stop_sequence: null },
      usage,
    });
    this.#push({ type: 'message_stop' });
    this.stopped = true;
  }

  #push(event: StreamEvent): void {
    this.contentCount++;
    this.#into.push(event);
  }

  #count(text: string): void {
    this.outputChars += text.length;
    this.blockCount++;
  }

  #begin(type: 'text' | 'thinking'): void {
    if (this.#open === type) return;
    if (this.#open === 'tool_use') this.#flushCalls();
    this.endBlock();
    this.#open = type;
    this.#index++;
    this.blockCount++;
    this.#push({
      type: 'content_block_start',
      index: this.#index,
      content_block: type === 'text' ? { type, text: '' } : { type, thinking: '', signature: '' },
    });
  }

  #close(): void {
    this.#open = undefined;
    this.#push({ type: 'content_block_stop', index: this.#index });
  }

  /** Opens this call, if the ones before it are whole. */
  #advance(call: WrittenCall): void {
    const before = this.#calls.find(({ state }) => state === 'open');
    if (before !== undefined) {
      if (!isWhole(before.input)) return;
      this.#closeCall(before);
    }
    const next = this.#calls.find(({ state }) => state === 'waiting');
    if (next === undefined) return;
    this.#openCall(next);
    if (next !== call) this.#advance(call);
  }

  #openCall(call: WrittenCall): void {
    if (call.signature !== undefined) this.sign(call.signature);
    this.endBlock();
    call.state = 'open';
    this.#open = 'tool_use';
    this.#index++;
    this.blockCount++;
    this.#push({
      type: 'content_block_start',
      index: this.#index,
      content_block: { type: 'tool_use', id: call.id, name: call.name, input: {} },
    });
    this.#emitInput(call);
  }

  #emitInput(call: WrittenCall): void {
    const partial_json = call.input.slice(call.emitted);
    if (partial_json === '') return;
    call.emitted = call.input.length;
    this.blockCount++;
    this.#push({
      type: 'content_block_delta',
      index: this.#index,
      delta: { type: 'input_json_delta', partial_json },
    });
  }

  #closeCall(call: WrittenCall): void {
    call.state = 'closed';
    this.#close();
  }

  #flushCalls(): void {
    for (const call of this.#calls) {
      if (call.state === 'waiting') this.#openCall(call);
      if (call.state === 'open') this.#closeCall(call);
    }
  }
}

/** A whole object: nothing can follow it. */
export function isWhole(json: string): boolean {
  if (!json.trimEnd().endsWith('}')) return false;
  try {
    parseJson(json);
    return true;
  } catch {
    return false;
  }
}
