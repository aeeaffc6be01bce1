/** Converts a response that came as one JSON object to the events that would have streamed it. */
import type { AssistantBlock, BlockDelta, StreamEvent, WireResponse } from '../../protocol/model/wire.ts';

/**
 * undefined when the object is not a message. The events still pass the decoder, which checks and counts
 * them.
 */
export function eventsOfAnswer(answer: unknown): readonly unknown[] | undefined {
  const response = answer as Partial<WireResponse> | null;
  if (typeof response !== 'object' || response === null || !Array.isArray(response.content)) return undefined;
  const {
    content,
    stop_reason = null,
    stop_sequence = null,
    stop_details,
    context_management,
    ...rest
  } = response;
  return [
    { type: 'message_start', message: { ...rest, content: [], stop_reason: null, stop_sequence: null } },
    ...content.flatMap(blockEvents),
    {
      type: 'message_delta',
      delta: { stop_reason, stop_sequence, ...(stop_details && { stop_details }) },
      ...(rest.usage !== undefined && { usage: rest.usage }),
      ...(context_management !== undefined && { context_management }),
    },
    { type: 'message_stop' },
  ];
}

function blockEvents(block: AssistantBlock, index: number): StreamEvent[] {
  const [empty, deltas] = unrolled(block);
  return [
    { type: 'content_block_start', index, content_block: empty },
    ...deltas.map((delta): StreamEvent => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
}

/** A block at its start, and the delta that completes it. */
function unrolled(block: AssistantBlock): [AssistantBlock, BlockDelta[]] {
  switch (block?.type) {
    case 'text':
      return [
        { ...block, text: '', ...(block.citations && { citations: [] }) },
        [
          { type: 'text_delta', text: block.text },
          ...(block.citations ?? []).map((citation): BlockDelta => ({ type: 'citations_delta', citation })),
        ],
      ];
    case 'thinking':
      return [
        { ...block, thinking: '', signature: '' },
        [
          { type: 'thinking_delta', thinking: block.thinking },
          { type: 'signature_delta', signature: block.signature },
        ],
      ];
    case 'tool_use':
      return [
        { ...block, input: {} },
        [{ type: 'input_json_delta', partial_json: JSON.stringify(block.input ?? {}) }],
      ];
    default:
      return [block, []];
  }
}
