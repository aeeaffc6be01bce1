/** A composed message as the events of a stream. */
import type {
  AssistantBlock,
  BlockDelta,
  StreamEvent,
  Usage,
} from '@turnwright/engine/protocol/model/wire.ts';
import type { AppliedEdit } from '../accounting/context-edits.ts';
import type { ComposedBlock, ComposedMessage } from './compose-message.ts';

const DEFAULT_DELTA_CHARS = 64;

export function streamEvents(
  message: ComposedMessage,
  usage: Usage,
  options: { readonly deltaChars?: number; readonly applied?: readonly AppliedEdit[] },
): StreamEvent[] {
  const size = Math.max(1, options.deltaChars ?? DEFAULT_DELTA_CHARS);
  const { output_tokens_details, ...startUsage } = usage;
  const events: StreamEvent[] = [
    {
      type: 'message_start',
      message: {
        id: message.id,
        type: 'message',
        role: 'assistant',
        model: message.model,
        content: [],
        stop_reason: null,
        stop_sequence: null,
        usage: { ...startUsage, output_tokens: Math.min(1, usage.output_tokens) },
      },
    },
  ];
  for (const [index, composed] of message.blocks.entries()) {
    events.push({ type: 'content_block_start', index, content_block: toEmptyBlock(composed.block) });
    for (const delta of toDeltas(composed, size)) events.push({ type: 'content_block_delta', index, delta });
    events.push({ type: 'content_block_stop', index });
  }
  events.push({
    type: 'message_delta',
    delta: {
      stop_reason: message.stopReason,
      stop_sequence: message.stopSequence,
      ...(message.stopDetails !== undefined && { stop_details: message.stopDetails }),
    },
    usage: {
      input_tokens: usage.input_tokens,
      cache_creation_input_tokens: usage.cache_creation_input_tokens,
      cache_read_input_tokens: usage.cache_read_input_tokens,
      output_tokens: usage.output_tokens,
      ...(output_tokens_details === undefined ? {} : { output_tokens_details }),
    },
    ...(options.applied === undefined ? {} : { context_management: { applied_edits: options.applied } }),
  });
  events.push({ type: 'message_stop' });
  return events;
}

function toEmptyBlock(block: AssistantBlock): AssistantBlock {
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

function* toDeltas({ block, streamed }: ComposedBlock, size: number): Generator<BlockDelta> {
  for (const piece of pieces(streamed, size)) {
    if (block.type === 'text') yield { type: 'text_delta', text: piece };
    else if (block.type === 'thinking') yield { type: 'thinking_delta', thinking: piece };
    else if (block.type === 'tool_use') yield { type: 'input_json_delta', partial_json: piece };
  }
  if (block.type === 'thinking' && block.signature !== '') {
    yield { type: 'signature_delta', signature: block.signature };
  }
}

/** Splits every `size` UTF-16 units, never inside a surrogate pair. */
function* pieces(text: string, size: number): Generator<string> {
  let at = 0;
  while (at < text.length) {
    let end = Math.min(text.length, at + size);
    const last = text.charCodeAt(end - 1);
    if (end < text.length && last >= 0xd800 && last <= 0xdbff) end += 1;
    yield text.slice(at, end);
    at = end;
  }
}
