/**
 * A recorded answer as the bytes that a server would send, and as what the client makes of them: the events
 * pass through the same reader and decoder as those of a real connection.
 */
import { createEventDecoder } from '../model/stream/decode-events.ts';
import { createSseReader } from '../model/stream/sse.ts';
import type { AssistantBlock, BlockDelta, StreamEvent } from '../protocol/model/wire.ts';
import type { RecordedAttempt } from './recorded.ts';

/** `ends`: with the events that end an answer. */
export function answerBytes(attempt: RecordedAttempt, ends: boolean): Buffer {
  const frames = [...events(attempt, ends)].map(
    (event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`,
  );
  return Buffer.from(frames.join(''), 'utf8');
}

/** Throws where the bytes are not those of an answer. */
export function decodeAnswer(bytes: Buffer): readonly StreamEvent[] {
  const reader = createSseReader();
  const decoder = createEventDecoder({ status: 200, headers: {} });
  const decoded: StreamEvent[] = [];
  const data = reader.push(bytes);
  const failure = data === undefined ? undefined : decoder.decode(data, decoded);
  if (data === undefined || failure !== undefined)
    throw new Error(
      `The recorded answer does not pass through the decoder: ${failure?.message ?? 'an event is too large'}`,
    );
  return decoded;
}

function* events({ model, blocks, response }: RecordedAttempt, ends: boolean): Generator<StreamEvent> {
  const [first] = blocks;
  const usage = response?.usage ?? first?.message.usage ?? { input_tokens: 0, output_tokens: 0 };
  const { output_tokens } = usage;
  yield {
    type: 'message_start',
    message: {
      id: response?.messageId ?? first?.message.id ?? '',
      type: 'message',
      role: 'assistant',
      model: first?.message.model ?? model,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      // An answer without an end is charged what it has reported.
      usage: { ...usage, output_tokens: ends ? Math.min(1, output_tokens) : output_tokens },
    },
  } as StreamEvent;
  for (const [index, { message, aborted }] of blocks.entries()) {
    const block = message.content[0];
    if (block === undefined) continue;
    yield { type: 'content_block_start', index, content_block: opening(block) };
    for (const delta of deltas(block)) yield { type: 'content_block_delta', index, delta };
    if (aborted !== true) yield { type: 'content_block_stop', index };
  }
  const stop_reason = response?.stopReason ?? null;
  // An answer can break off behind its stop reason.
  if (ends || stop_reason !== null)
    yield { type: 'message_delta', delta: { stop_reason, stop_sequence: null }, usage };
  if (ends) yield { type: 'message_stop' };
}

function opening(block: AssistantBlock): AssistantBlock {
  switch (block.type) {
    case 'text':
      return { type: 'text', text: '' };
    case 'thinking':
      return { type: 'thinking', thinking: '', signature: '' };
    case 'tool_use':
      return { type: 'tool_use', id: block.id, name: block.name, input: {} };
    default:
      return block;
  }
}

function* deltas(block: AssistantBlock): Generator<BlockDelta> {
  if (block.type === 'text') {
    yield { type: 'text_delta', text: block.text };
    for (const citation of listOf(block.citations)) yield { type: 'citations_delta', citation };
  } else if (block.type === 'thinking') {
    yield { type: 'thinking_delta', thinking: block.thinking };
    yield { type: 'signature_delta', signature: block.signature };
  } else if (block.type === 'tool_use') {
    const unparsed = block.input['__unparsedToolInput'] as { readonly raw?: unknown } | undefined;
    const raw = typeof unparsed?.raw === 'string' ? unparsed.raw : JSON.stringify(block.input);
    if (raw !== '') yield { type: 'input_json_delta', partial_json: raw };
  }
}

const listOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);
